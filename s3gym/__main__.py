"""``python -m s3gym`` is ``s3gym``."""

from s3gym.cli import main

if __name__ == "__main__":
    main()

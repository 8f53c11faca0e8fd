"use strict";

// A page and the data it was made from carry the same stamp. Where they differ, one of the two is an old copy.
(() => {
  const page = document.documentElement.dataset.stamp;
  if (typeof s3gymStamp === "undefined" || s3gymStamp === page) return;
  const note = document.createElement("p");
  note.className = "stale";
  note.setAttribute("role", "status");
  note.textContent = "This page and the data files of this site are from different builds. Reload the page to see the newest.";
  document.getElementById("main").prepend(note);
})();

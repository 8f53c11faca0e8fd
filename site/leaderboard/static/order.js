"use strict";

// The order of a column's cells, the same as in leaderboard/order.py: total, and missing cells last in both directions.
// Locales and Unicode tables, which differ between machines, play no part.
const s3gymOrder = (() => {
  const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
  const RUNS = /[0-9]+|[^0-9]+/g;
  const DIGITS = /^[0-9]/;

  function lower(text) {
    return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  }

  // By code point: JavaScript's own comparison goes by UTF-16 unit.
  function byCodePoint(left, right) {
    const a = Array.from(left, (sign) => sign.codePointAt(0));
    const b = Array.from(right, (sign) => sign.codePointAt(0));
    for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
      if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return Math.sign(a.length - b.length);
  }

  function run(text) {
    if (!DIGITS.test(text)) return { group: 1, size: 0, text: lower(text) };
    const digits = text.replace(/^0+/, "");
    return { group: 0, size: digits.length, text: digits };
  }

  function byRun(left, right) {
    return Math.sign(left.group - right.group) || Math.sign(left.size - right.size) || byCodePoint(left.text, right.text);
  }

  function key(cell, kind) {
    if (cell === null) return null;
    if (kind === "number") {
      const value = NUMBER.test(cell) ? Number(cell) : Infinity;
      return Number.isFinite(value) ? value : null;
    }
    const runs = cell.match(RUNS);
    return runs === null ? null : runs.map(run);
  }

  function byText(a, b, left, right) {
    for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
      const order = byRun(a[i], b[i]);
      if (order !== 0) return order;
    }
    return Math.sign(a.length - b.length) || byCodePoint(left, right);
  }

  // -1, 0 or 1: which cell comes first.
  function compare(left, right, kind, descending) {
    const a = key(left, kind);
    const b = key(right, kind);
    if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
    const order = kind === "number" ? Math.sign(a - b) : byText(a, b, left, right);
    return (descending ? -order : order) + 0;
  }

  return { compare };
})();

"use strict";

// Makes the headers of a table buttons that sort it. Without this script the tables are complete, in their given order.
(() => {
  function cellKey(row, column) {
    const cell = row.cells[column];
    if (cell.hasAttribute("data-missing")) return null;
    if (cell.hasAttribute("data-value")) return cell.getAttribute("data-value");
    const text = cell.querySelector("bdi");
    return (text === null ? cell.textContent : text.textContent).trim();
  }

  function sort(table, column, kind, descending) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, key: cellKey(row, column), place: Number(row.dataset.place) }));
    rows.sort((a, b) => s3gymOrder.compare(a.key, b.key, kind, descending) || a.place - b.place);
    body.append(...rows.map((item) => item.row));
  }

  function prepare(table) {
    Array.from(table.tBodies[0].rows, (row, place) => {
      row.dataset.place = String(place);
    });
    const headers = Array.from(table.tHead.rows[0].cells);
    headers.forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        const descending = header.getAttribute("aria-sort") === "ascending";
        headers.forEach((other) => other.removeAttribute("aria-sort"));
        header.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(table, column, header.dataset.kind, descending);
      });
    });
  }

  document.querySelectorAll("table[data-sortable]").forEach((table) => {
    if (table.tBodies[0].rows.length > 1) prepare(table);
  });
})();

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { styleOf } from "../output/style.ts";
import type { Terminal } from "../terminal.ts";
import { type Row, rowsTable } from "./objects.ts";
import { openScreen } from "./screen.ts";
import { KEYS as keys } from "./view.ts";
import { Window } from "../../test/window.ts";

const now = Date.UTC(2030, 0, 1, 0, 2, 5);

function open(columns: number, color = false) {
  const window = new Window(columns);
  const terminal = { color, columns, out: (text: string) => window.write(text) } as Terminal;
  const screen = openScreen(terminal, true);
  const show = (shown: readonly Row[], selected = 0): void => {
    const isFailing = (): boolean => false;
    const table = rowsTable(shown, { style: styleOf(terminal), now, selected: shown[selected]?.id, isFailing });
    screen.table(table, { selected, below: keys });
  };
  return { window, screen, show };
}

const row = (name: string, more: Partial<Row> = {}): Row => ({
  id: `memcacheds.cache.example.com default/${name}`,
  title: `Memcached default/${name}`,
  resource: "memcacheds.cache.example.com",
  kind: "Memcached",
  key: `default/${name}`,
  created: "2030-01-01T00:00:00Z",
  isPaused: false,
  conditions: [{ type: "Available", status: "True" }],
  ...more,
});

const message = "2 of 3 servers answer; memcached-sample-2 was restarted because its probe failed five times in a row";
const rows: readonly Row[] = [
  row("sample"),
  row("broken", { conditions: [{ type: "Available", status: "False", message }] }),
  row("held", { isPaused: true }),
];

describe("the live table", () => {
  test("of 80 columns is cut where the window ends", () => {
    const { window, screen, show } = open(80);
    screen.line("embedded cluster at https://127.0.0.1:6443");
    show(rows);
    assert.equal(
      window.text,
      `embedded cluster at https://127.0.0.1:6443

  KIND        OBJECT           AGE    CONDITIONS
> Memcached   default/sample   2m5s   Available=True
  Memcached   default/broken   2m5s   Available=False (2 of 3 servers answer; m…
  Memcached   default/held     2m5s   paused Available=True
${keys}`,
    );
  });

  test("of 200 columns shows everything", () => {
    const { window, show } = open(200);
    show(rows);
    assert.equal(
      window.text,
      `
  KIND        OBJECT           AGE    CONDITIONS
> Memcached   default/sample   2m5s   Available=True
  Memcached   default/broken   2m5s   Available=False (${message})
  Memcached   default/held     2m5s   paused Available=True
${keys}`,
    );
  });

  test("of 80 columns shortens long names in the middle to keep conditions readable", () => {
    const { window, show } = open(80);
    const long = row("a-cache-with-a-name-that-leaves-no-room-for-anything-else-in-a-window");
    show([long, ...rows]);
    assert.match(window.text, /^> Memcached {3}default\/\S+…\S+-a-window {3}2m5s {3}Available=True$/m);
    assert.match(window.text, /^ {2}Memcached {3}default\/sample {3,}2m5s {3}Available=True$/m);
  });

  for (const columns of [80, 200]) {
    test(`of ${columns} columns stays below scrolling lines, also wrapped or coloured ones`, () => {
      const { window, screen, show } = open(columns, true);
      for (let turn = 1; turn <= 3; turn++) {
        screen.line(`turn ${turn} ${"x".repeat(250)}`);
        show(rows.slice(0, turn));
      }
      const lines = window.text.split("\n");
      assert.equal(lines.filter((line) => line.startsWith("  KIND")).length, 1);
      assert.equal(lines.filter((line) => line === keys).length, 1);
      assert.equal(lines.at(-1), keys);
      const scrolled = lines.slice(0, lines.indexOf("")).join("");
      assert.equal(scrolled, [1, 2, 3].map((turn) => `turn ${turn} ${"x".repeat(250)}`).join(""));
      assert.ok(lines.every((line) => line.length <= columns));
    });
  }

  test("of many objects shows how many more there are", () => {
    const { window, show } = open(80);
    const many = Array.from({ length: 40 }, (_, at) => row(`n${at}`));
    show(many);
    assert.match(window.text, /default\/n14 .*\nand 25 more\n/u);
    assert.doesNotMatch(window.text, /default\/n15/u);
    show(many, 20);
    assert.match(window.text, /\n {2}Memcached {3}default\/n6 [^]*\n> Memcached {3}default\/n20 .*\nand 25 more\n/u);
    show(many, 39);
    assert.match(window.text, /\n> Memcached {3}default\/n39 .*\nand 25 more\n/u);
  });
});

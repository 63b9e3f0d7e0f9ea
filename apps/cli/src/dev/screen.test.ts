import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { styleOf } from "../output/style.ts";
import type { Terminal } from "../terminal.ts";
import { type Row, rowsTable } from "./objects.ts";
import { openScreen } from "./screen.ts";
import { Window } from "../../test/window.ts";

const now = Date.UTC(2030, 0, 1, 0, 2, 5);

function open(columns: number, color = false) {
  const window = new Window(columns);
  const terminal = { color, columns, out: (text: string) => window.write(text) } as Terminal;
  return { window, screen: openScreen(terminal, true), style: styleOf(terminal) };
}

const row = (name: string, more: Partial<Row> = {}): Row => ({
  id: `Memcached default/${name}`,
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
const keys = "r reload   p pause/resume   e explain   q quit";

describe("the live table", () => {
  test("of 80 columns is cut where the window ends", () => {
    const { window, screen, style } = open(80);
    screen.line("embedded cluster at https://127.0.0.1:6443");
    screen.table(rowsTable(rows, style, now));
    assert.equal(
      window.text,
      `embedded cluster at https://127.0.0.1:6443

KIND        OBJECT           AGE    CONDITIONS
Memcached   default/sample   2m5s   Available=True
Memcached   default/broken   2m5s   Available=False (2 of 3 servers answer; mem…
Memcached   default/held     2m5s   paused Available=True
${keys}`,
    );
  });

  test("of 200 columns shows everything", () => {
    const { window, screen, style } = open(200);
    screen.table(rowsTable(rows, style, now));
    assert.equal(
      window.text,
      `
KIND        OBJECT           AGE    CONDITIONS
Memcached   default/sample   2m5s   Available=True
Memcached   default/broken   2m5s   Available=False (${message})
Memcached   default/held     2m5s   paused Available=True
${keys}`,
    );
  });

  test("of 80 columns shortens long names in their middle, so that conditions can be read", () => {
    const { window, screen, style } = open(80);
    const long = row("a-cache-with-a-name-that-leaves-no-room-for-anything-else-in-a-window", { conditions: [] });
    screen.table(rowsTable([{ ...long, conditions: [{ type: "Available", status: "True" }] }, ...rows], style, now));
    assert.match(window.text, /^Memcached {3}default\/\S+…\S+-a-window {3}2m5s {3}Available=True$/m);
    assert.match(window.text, /^Memcached {3}default\/sample {3,}2m5s {3}Available=True$/m);
  });

  for (const columns of [80, 200]) {
    test(`of ${columns} columns stays below lines that scroll, also where they wrap and where there are colours`, () => {
      const { window, screen, style } = open(columns, true);
      for (let turn = 1; turn <= 3; turn++) {
        screen.line(`turn ${turn} ${"x".repeat(250)}`);
        screen.table(rowsTable(rows.slice(0, turn), style, now));
      }
      const lines = window.text.split("\n");
      assert.equal(lines.filter((line) => line.startsWith("KIND")).length, 1);
      assert.equal(lines.filter((line) => line === keys).length, 1);
      assert.equal(lines.at(-1), keys);
      const scrolled = lines.slice(0, lines.indexOf("")).join("");
      assert.equal(scrolled, [1, 2, 3].map((turn) => `turn ${turn} ${"x".repeat(250)}`).join(""));
      assert.ok(lines.every((line) => line.length <= columns));
    });
  }

  test("of many objects says how many more there are", () => {
    const { window, screen, style } = open(80);
    screen.table(
      rowsTable(
        Array.from({ length: 40 }, (_, at) => row(`n${at}`)),
        style,
        now,
      ),
    );
    assert.match(window.text, /default\/n14 .*\nand 25 more\n/u);
    assert.doesNotMatch(window.text, /default\/n15/u);
  });
});

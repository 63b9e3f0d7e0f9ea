import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatView, type ClusterView } from "./format.ts";
import type { ServerRow } from "./server-table.ts";

const now = Date.UTC(2030, 0, 1, 0, 2, 5);

function pod(name: string, cells: { readonly [title: string]: string } = {}): ServerRow {
  const Ready = "1/1";
  return {
    namespace: "default",
    cells: { Name: name, Ready, Status: "Running", Restarts: "0", Age: "2m5s", Node: "node-1", ...cells },
  };
}

const node = (name: string, status: string): ServerRow => ({
  namespace: "",
  cells: { Name: name, Status: status, Age: "2m6s" },
});

const message = "Back-off restarting failed container main in pod web-2_default(4f1c6a3e-0000-4000-8000-000000000000)";
const view: ClusterView = {
  nodes: { rows: [node("node-1", "Ready"), node("node-2", "NotReady")], more: 0 },
  pods: {
    rows: [pod("web-1"), pod("web-2", { Ready: "0/1", Status: "CrashLoopBackOff", Restarts: "3 (12s ago)" })],
    more: 0,
  },
  happenings: [
    { at: now - 3000, isWarning: true, object: "pod default/web-2", reason: "BackOff", message: `${message}\n` },
  ],
  now,
};

describe("the live view of a cluster", () => {
  test("of 80 columns is cut where the window ends", () => {
    assert.equal(
      formatView(view, { columns: 80, color: false }),
      `
NODE     STATUS     PODS   AGE
node-1   Ready      2      2m6s
node-2   NotReady   0      2m6s

POD             READY   STATUS             RESTARTS      AGE    NODE
default/web-2   0/1     CrashLoopBackOff   3 (12s ago)   2m5s   node-1
default/web-1   1/1     Running            0             2m5s   node-1

SEEN   OBJECT              REASON    MESSAGE
3s     pod default/web-2   BackOff   Back-off restarting failed container main …
q quit
`,
    );
  });

  test("of 200 columns shows everything", () => {
    const text = formatView(view, { columns: 200, color: false });
    assert.ok(text.includes(`3s     pod default/web-2   BackOff   ${message}\n`));
  });

  test("has no line that is wider than the window, also with colours", () => {
    for (const columns of [80, 200]) {
      for (const line of formatView(view, { columns, color: true }).split("\n")) {
        assert.ok(Array.from(line.replaceAll(/\u001B\[\d+m/gu, "")).length <= columns, line);
      }
    }
  });

  test("of many pods shows the unhealthy ones, and how many more there are", () => {
    const rows = [...Array.from({ length: 40 }, (_, at) => pod(`n${at}`)), pod("ill", { Status: "Pending" })];
    const text = formatView({ ...view, pods: { rows, more: 500 } }, { columns: 80, color: false });
    assert.match(text, /NODE\ndefault\/ill /u);
    assert.match(text, /default\/n13 .*\nand 526 more\n/u);
    assert.doesNotMatch(text, /default\/n14/u);
  });

  test("of a cluster without pods says so", () => {
    const text = formatView({ ...view, pods: { rows: [], more: 0 }, happenings: [] }, { columns: 80, color: false });
    assert.match(text, /POD .*\nnone yet\nq quit\n$/u);
  });
});

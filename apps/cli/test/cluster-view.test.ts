import assert from "node:assert/strict";
import { test } from "node:test";
import { startCluster } from "@capstan/cluster";
import { Pod } from "@capstan/kinds/v1";
import type { Terminal } from "../src/terminal.ts";
import { showView } from "../src/embedded/view/live-view.ts";

/** What a terminal shows: erased lines are gone. */
class Window {
  #lines: string[] = [""];
  readonly #waiting = new Map<RegExp, () => void>();

  write(text: string): void {
    for (const [piece, count, end] of text.matchAll(/\u001B\[(\d*)([AJm])|\n|[^\u001B\n]+/gu)) {
      if (end === "A") this.#lines.splice(-1 - Number(count), Number(count));
      else if (piece === "\n") this.#lines.push("");
      else if (end === undefined) this.#lines[this.#lines.length - 1] += piece;
    }
    for (const [pattern, seen] of this.#waiting) if (pattern.test(this.text)) seen();
  }

  get text(): string {
    return this.#lines.join("\n");
  }

  shows(pattern: RegExp): Promise<void> {
    if (pattern.test(this.text)) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.set(pattern, resolve));
  }
}

test("the live view shows the nodes, pods and events of a cluster", { timeout: 600_000 }, async () => {
  await using cluster = await startCluster();
  const window = new Window();
  const terminal = { columns: 200, color: false, out: (text: string) => window.write(text) } as Terminal;
  const quit = new AbortController();
  const showing = showView(cluster, terminal, quit.signal);
  await window.shows(/^node +Ready +0 /mu);
  await window.shows(/^none yet$/mu);
  const containers = [{ name: "main", image: "example.test/image:1" }];
  await cluster.client.create(Pod, { metadata: { name: "one", namespace: "default" }, spec: { containers } });
  await window.shows(/^default\/one +1\/1 +Running +0 .*node$/mu);
  await window.shows(/pod default\/one +Started /u);
  await window.shows(/^node +Ready +1 /mu);
  await cluster.client.delete(Pod, { name: "one", namespace: "default" });
  await window.shows(/^none yet$/mu);
  assert.equal(window.text.match(/^NODE /gmu)?.length, 1, "what was drawn before is erased");
  quit.abort();
  await showing;
});

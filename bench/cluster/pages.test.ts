import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { onceCounted, residentStretches } from "./pages.ts";

/** A program that has reported its start, and then does nothing. */
async function startSleeper(t: TestContext): Promise<number> {
  const child = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => {}, 1e9)"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child.pid ?? 0;
}

test("address ranges without a resident page are left out", () => {
  const smaps = `00400000-00500000 r-xp 00002000 fe:00 77  /bin/program
Size:               1024 kB
KernelPageSize:        4 kB
Rss:                  12 kB
Pss:                   6 kB
VmFlags: rd ex mr mw me sd
10000000-20000000 ---p 00000000 00:00 0
Size:             262144 kB
Rss:                   0 kB
VmFlags: mr mw me nr sd
`;
  assert.deepEqual([...residentStretches(smaps)], [{ start: 0x400000, pages: 256, file: "fe:00 77", offset: 2 }]);
});

test("two processes of one program share its pages and have their own pages", { skip: notLinux() }, async (t) => {
  const [one, other] = [await startSleeper(t), await startSleeper(t)];
  const both = onceCounted([one, other]);
  const [larger, smaller] = [onceCounted([one]), onceCounted([other])].toSorted((a, b) => b - a);
  assert.ok(larger !== undefined && smaller !== undefined);
  assert.ok(both > larger, "the second has pages of its own");
  assert.ok(both < larger + smaller - programBytes(other) / 2, "the second shares most of the program with the first");
});

/** The resident bytes of the program's own file. */
function programBytes(pid: number): number {
  const smaps = readFileSync(`/proc/${pid}/smaps`, "utf8");
  const stretches = smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).filter((text) => text.split("\n")[0]?.endsWith("/node"));
  const kilobytes = stretches.map((text) => Number(/^Rss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0));
  return kilobytes.reduce((total, some) => total + some, 0) * 1024;
}

function notLinux(): string | false {
  return process.platform === "linux" ? false : "only Linux tells the pages of a process";
}

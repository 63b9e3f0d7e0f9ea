/** How programs get into the cache, tried with a go command that only pretends: once each, whole or not at all. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { makePlace } from "./command.ts";

const PROGRAMS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"];

interface FakeGo extends Disposable {
  readonly env: NodeJS.ProcessEnv;
  readonly cache: string;
  builds(): string[];
  /** Replaces what a build does. */
  building(script: string): void;
}

function fakeGo(): FakeGo {
  const folder = mkdtempSync(join(tmpdir(), "capstan-fake-go-"));
  const log = join(folder, "log");
  const building = (script: string): void => {
    writeFileSync(join(folder, "build.sh"), `${script}\n`);
  };
  writeFileSync(join(folder, "source.mod"), "module k8s.io/kubernetes\n\ngo 1.26.0\n");
  writeFileSync(
    join(folder, "go"),
    `#!/bin/bash
     [ "$1" = mod ] && { echo '{"GoMod": "${folder}/source.mod"}'; exit; }
     for word; do case "$word" in -o=*) output=\${word#-o=} ;; esac; done
     echo "\${@: -1}" >>${log}
     . ${folder}/build.sh`,
  );
  chmodSync(join(folder, "go"), 0o755);
  building('echo whole >"$output"');
  return {
    env: { XDG_CACHE_HOME: folder, PATH: `${folder}:/usr/sbin:/usr/bin:/sbin:/bin` },
    cache: join(folder, "capstan", "kubernetes"),
    builds: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
    building,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

test("runs at the same time build each program once", async () => {
  using go = fakeGo();
  await using place = makePlace();
  go.building('sleep 0.2; echo whole >"$output"');
  const runs = await Promise.all([1, 2, 3].map(() => place.run(["build"], { env: go.env })));
  assert.deepEqual(
    runs.map(({ code, err }) => (code === 0 ? "" : err)),
    ["", "", ""],
  );
  assert.equal(new Set(go.builds()).size, go.builds().length);
  for (const name of PROGRAMS) assert.equal(readFileSync(join(go.cache, "1.36.3", name), "utf8"), "whole\n");
  const progress = runs.map(({ err }) => err).join("");
  assert.match(progress, /^building kube-apiserver 1\.36\.3: done, \d+\.\d s$/m);
});

test("built programs are cached by version", async () => {
  using go = fakeGo();
  await using place = makePlace();
  await place.run(["build"], { env: go.env });
  const first = go.builds().length;
  await place.run(["build"], { env: go.env });
  assert.equal(go.builds().length, first);
  await place.run(["build", "--version", "1.34.4"], { env: go.env });
  assert.equal(go.builds().length, first + PROGRAMS.length);
});

test("an interrupted build leaves no program, and the next run continues", async () => {
  using go = fakeGo();
  await using place = makePlace();
  go.building('case "$output" in */kubectl-*) echo half >"$output"; exec sleep 5 ;; esac; echo whole >"$output"');
  const killed = place.start(["build"], { env: go.env });
  while (!go.builds().some((built) => built.endsWith("/kubectl"))) await delay(10);
  killed.kill("SIGKILL");
  assert.ok(!existsSync(join(go.cache, "1.36.3", "kubectl")));
  const before = go.builds();
  go.building('echo whole >"$output"');
  const next = await place.run(["build"], { env: go.env });
  assert.equal(next.code, 0, next.err);
  assert.equal(readFileSync(join(go.cache, "1.36.3", "kubectl"), "utf8"), "whole\n");
  assert.ok(
    go
      .builds()
      .slice(before.length)
      .every((built) => !built.endsWith("kube-apiserver")),
    "what was finished is kept",
  );
  assert.deepEqual(readdirSync(join(go.cache, "1.36.3", "build")), ["go.mod"]);
});

test("an interrupted build ends its compiler", async () => {
  using go = fakeGo();
  await using place = makePlace();
  const pidFile = join(go.cache, "..", "..", "pid");
  go.building(`echo $$ >${pidFile}; exec sleep 60`);
  const run = place.start(["build"], { env: go.env });
  while (!existsSync(pidFile) || readFileSync(pidFile, "utf8") === "") await delay(10);
  run.kill("SIGINT");
  const { code, err } = await run.ended;
  assert.equal(code, 130);
  assert.match(err, /kubernetes: interrupted; what was begun has been cleared away\n$/);
  assert.ok(!existsSync(`/proc/${readFileSync(pidFile, "utf8").trim()}`));
});

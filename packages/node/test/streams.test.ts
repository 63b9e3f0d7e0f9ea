import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { busybox, eventually, hasEnded, isReady, skip, startRealWorld, type RealWorld } from "./real-world.ts";

let world: RealWorld;
before(async () => {
  if (skip === false) world = await startRealWorld();
});
after(async () => {
  if (skip === false) await world[Symbol.asyncDispose]();
});

const target = (name: string): { readonly namespace: string; readonly name: string } => ({
  namespace: "default",
  name,
});

test("whoever attaches hears a container and speaks to it", { skip }, async () => {
  const command = ["sh", "-c", "while read line; do echo heard $line; done; echo end"];
  const container = { name: "main", image: busybox, command, stdin: true, stdinOnce: true };
  await world.run("listener", { restartPolicy: "Never", containers: [container] });
  await world.until("listener", "ready", isReady);
  const session = await world.outside.attach({ ...target("listener"), stdin: true });
  await session.write("one\n");
  await session.end();
  const { stdout } = await session.finish();
  assert.equal(stdout, "heard one\nend\n");
  await world.until("listener", "ended", hasEnded);
});

test("a container may have a terminal, and its size can be changed", { skip }, async () => {
  const command = ["sh", "-c", "test -t 0 && echo terminal; while read line; do stty size; done"];
  await world.run("terminal", { containers: [{ name: "main", image: busybox, command, stdin: true, tty: true }] });
  await world.until("terminal", "ready", isReady);
  const session = await world.outside.attach({ ...target("terminal"), stdin: true, tty: true });
  await session.resize({ width: 101, height: 33 });
  const log = await eventually(
    "the new size",
    async () => {
      await session.write("go\n");
      return world.outside.logs(target("terminal")).text();
    },
    (text) => text.includes("33 101"),
  );
  assert.match(log, /^terminal\r?\n/);
});

test("programs may open their output by name", { skip }, async () => {
  const output = await world.outputOf(
    "opener",
    "echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr",
  );
  assert.deepEqual(output.trim().split("\n").toSorted(), ["one", "three", "three", "two"]);
  await world.run("open", {});
  await world.until("open", "ready", isReady);
  assert.equal(await world.inside("open", ["sh", "-c", "echo here > /dev/stdout"]), "here");
});

test("files are copied into a container and out of it, as kubectl cp does", { skip }, async () => {
  await world.run("store", {});
  await world.until("store", "ready", isReady);
  const text = "x".repeat(300_000);
  const into = await world.outside.exec({ ...target("store"), command: ["sh", "-c", "cat > /tmp/file"], stdin: true });
  await into.write(text);
  await into.end();
  assert.equal((await into.finish()).code, 0);
  const from = await world.outside.exec({ ...target("store"), command: ["cat", "/tmp/file"] });
  assert.equal((await from.finish()).stdout, text);
});

test("parts of logs: the last lines, since when, at most so many bytes", { skip }, async () => {
  await world.outputOf("talker", "for i in 1 2 3 4 5; do echo line $i; done");
  const logs = (options: object): Promise<string> => world.outside.logs({ ...target("talker"), ...options }).text();
  assert.equal(await logs({ tailLines: 2 }), "line 4\nline 5\n");
  assert.equal(await logs({ tailLines: 0 }), "");
  assert.equal(await logs({ limitBytes: 10 }), "line 1\nlin");
  assert.equal(await logs({ sinceTime: new Date(Date.now() + 60_000).toISOString() }), "");
  assert.match(await logs({ timestamps: true, tailLines: 1 }), /^\d{4}-\d\d-\d\dT[\d:.]+Z line 5\n$/);
});

test("who is nobody's is told so: unknown containers and those that do not run", { skip }, async () => {
  await world.outputOf("gone", "true");
  await assert.rejects(world.outside.exec({ ...target("gone"), command: ["true"] }), /container not found|not found/);
  await assert.rejects(
    world.outside.logs({ ...target("gone"), previous: true }).text(),
    /previous terminated container "main" in pod "gone" not found/,
  );
});

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

test("attach reads the output of a container and writes its input", { skip }, async () => {
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

test("attach ends with its input or with the container, whatever the exit code", { skip }, async () => {
  const command = ["sh", "-c", "while read line; do echo heard $line; [ $line = end ] && exit 3; done"];
  await world.run("patient", { containers: [{ name: "main", image: busybox, command, stdin: true }] });
  await world.until("patient", "ready", isReady);
  const first = await world.outside.attach({ ...target("patient"), stdin: true });
  await first.write("one\n");
  await first.end();
  assert.equal((await first.finish()).code, 0);
  const second = await world.outside.attach({ ...target("patient"), stdin: true });
  await second.write("end\n");
  assert.equal((await second.finish()).code, 0);
});

test("a forwarded port delivers everything sent before the connection ended", { skip }, async () => {
  const command = ["sh", "-c", "head -c 20000000 /dev/zero > /tmp/large; exec httpd -f -p 7000 -h /tmp"];
  const readinessProbe = { tcpSocket: { port: 7000 }, periodSeconds: 1 };
  await world.run("download", { containers: [{ name: "main", image: busybox, command, readinessProbe }] });
  await world.until("download", "ready", isReady);
  for (let time = 0; time < 3; time++) {
    const connection = await world.outside.portForward({ ...target("download"), port: 7000 });
    await connection.write("GET /large HTTP/1.0\r\n\r\n");
    const answer = Buffer.concat(await Array.fromAsync(connection));
    assert.equal(answer.length - answer.indexOf("\r\n\r\n") - 4, 20_000_000);
  }
});

test("a port is forwarded to a program that listens only on the IPv6 loopback", { skip }, async () => {
  const command = ["sh", "-c", "echo six > /tmp/six; exec httpd -f -p [::1]:7001 -h /tmp"];
  const readinessProbe = { exec: { command: ["sh", "-c", "netstat -ltn | grep -q ::1:7001"] }, periodSeconds: 1 };
  await world.run("newer", { containers: [{ name: "main", image: busybox, command, readinessProbe }] });
  await world.until("newer", "ready", isReady);
  const connection = await world.outside.portForward({ ...target("newer"), port: 7001 });
  await connection.write("GET /six HTTP/1.0\r\n\r\n");
  assert.match(Buffer.concat(await Array.fromAsync(connection)).toString(), /six\n$/);
  const toNobody = async (): Promise<unknown> =>
    Array.fromAsync(await world.outside.portForward({ ...target("newer"), port: 7002 }));
  await assert.rejects(toNobody, /ECONNREFUSED 127\.0\.0\.1:7002/);
});

test("a container may have a terminal that can be resized", { skip }, async () => {
  const command = ["sh", "-c", "test -t 0 && echo terminal; while read line; do stty size; done"];
  await world.run("terminal", { containers: [{ name: "main", image: busybox, command, stdin: true, tty: true }] });
  await world.until("terminal", "ready", isReady);
  const said = (): Promise<string> => world.outside.logs(target("terminal")).text();
  await eventually("what it speaks to", said, (text) => /^terminal\r?\n/.test(text));
  const session = await world.outside.attach({ ...target("terminal"), stdin: true, tty: true });
  await session.resize({ width: 101, height: 33 });
  await eventually(
    "the new size",
    async () => {
      await session.write("go\n");
      return said();
    },
    (text) => text.includes("33 101"),
  );
});

test("exec with a terminal has TERM and the initial size", { skip }, async () => {
  await world.run("sized", {});
  await world.until("sized", "ready", isReady);
  const script =
    'echo "$TERM"; for try in $(seq 100); do test "$(stty size 2> /dev/null)" = "33 101" && exit 0; sleep 0.1; done; exit 1';
  const command = ["sh", "-c", script];
  const session = await world.outside.exec({ ...target("sized"), command, stdin: true, tty: true });
  await session.resize({ width: 101, height: 33 });
  const { code, stdout } = await session.finish();
  assert.deepEqual([code, stdout.trim()], [0, "xterm"]);
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

test("non-root programs may open their terminal by name", { skip }, async () => {
  const script = "echo one > /dev/stdout; echo two > /dev/stderr";
  const command = ["sh", "-c", `${script}; exec sleep 1000`];
  const securityContext = { runAsUser: 1001, runAsGroup: 1002 };
  await world.run("user", { securityContext, containers: [{ name: "main", image: busybox, command, tty: true }] });
  await world.until("user", "ready", isReady);
  const said = (): Promise<string> => world.outside.logs(target("user")).text();
  const lines = (text: string): readonly string[] => text.trim().split(/\r?\n/);
  assert.deepEqual(lines(await eventually("its words", said, (text) => lines(text).length > 1)), ["one", "two"]);
  const session = await world.outside.exec({
    ...target("user"),
    command: ["sh", "-c", script],
    stdin: true,
    tty: true,
  });
  assert.deepEqual(lines((await session.finish()).stdout), ["one", "two"]);
});

test("an exec error has the message of a container runtime, also with a terminal", { skip }, async () => {
  await world.run("commanded", {});
  await world.until("commanded", "ready", isReady);
  for (const [program, why] of [
    ["nosuch", "executable file not found in $PATH"],
    ["/nosuch", "stat /nosuch: no such file or directory"],
    ["/etc", "permission denied"],
    ["/etc/hosts/x", "stat /etc/hosts/x: not a directory"],
    ["", "executable file not found in $PATH"],
  ] as const)
    for (const tty of [false, true]) {
      const session = await world.outside.exec({ ...target("commanded"), command: [program], stdin: tty, tty });
      const { code, status, stdout, stderr } = await session.finish();
      assert.deepEqual([code, stdout, stderr, status?.reason], [-1, "", "", "InternalError"], program);
      const words = `exec failed: unable to start container process: exec: "${program}": ${why}`;
      const { message = "" } = status ?? {};
      assert.ok(message.startsWith("Internal error occurred: error executing command in container: failed to exec"));
      assert.ok(message.endsWith(words), message);
    }
});

test("exec returns the exit code, or 128 plus the signal", { skip }, async () => {
  await world.run("ended", {});
  await world.until("ended", "ready", isReady);
  for (const [script, expected] of [
    ["exit 126", 126],
    ["nosuch", 127],
    ["kill -SEGV $$", 139],
    ["kill -TERM $$", 143],
    ["kill -KILL $$", 137],
  ] as const) {
    const session = await world.outside.exec({ ...target("ended"), command: ["sh", "-c", script] });
    assert.equal((await session.finish()).code, expected, script);
  }
  const assigned = await world.outside.exec({ ...target("ended"), command: ["A=b", "env"] });
  const { message = "" } = (await assigned.finish()).status ?? {};
  assert.ok(message.endsWith('exec: "A=b": executable file not found in $PATH'), message);
});

test("a pod may share the node's IPC namespace", { skip }, async () => {
  assert.equal(await world.outputOf("talkative", "echo shared", {}, { hostIPC: true }), "shared\n");
});

test("files are copied to and from a container, as kubectl cp does", { skip }, async () => {
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

test("a command is paused, without filling memory, while its output is not read", { skip }, async () => {
  await world.run("endless", {});
  await world.until("endless", "ready", isReady);
  const pieces = 48;
  const script = `for n in $(seq ${pieces}); do head -c 1048576 /dev/zero; echo $n > /tmp/said; done`;
  const session = await world.outside.exec({ ...target("endless"), command: ["sh", "-c", script] });
  const said = async (): Promise<number> => Number(await world.inside("endless", ["cat", "/tmp/said"]));
  // It has ended, or it has not advanced for some checks: a slow machine makes this weaker, but never wrong.
  const looks: number[] = [];
  const seen = await eventually("an end of the talking", said, (count) => {
    looks.push(count);
    return count > 0 && looks.slice(-20).every((look) => look === count) && looks.length >= 20;
  });
  assert.ok(seen < pieces, `all ${seen} MiB were taken although nobody reads`);
  const { code, stdout } = await session.finish();
  assert.deepEqual([code, stdout.length], [0, pieces * 2 ** 20]);
});

test("logs support tail, since and byte limits", { skip }, async () => {
  await world.outputOf("talker", "for i in 1 2 3 4 5; do echo line $i; done");
  const logs = (options: object): Promise<string> => world.outside.logs({ ...target("talker"), ...options }).text();
  assert.equal(await logs({ tailLines: 2 }), "line 4\nline 5\n");
  assert.equal(await logs({ tailLines: 0 }), "");
  assert.equal(await logs({ limitBytes: 10 }), "line 1\nlin");
  assert.equal(await logs({ sinceTime: new Date(Date.now() + 60_000).toISOString() }), "");
  assert.match(await logs({ timestamps: true, tailLines: 1 }), /^\d{4}-\d\d-\d\dT[\d:.]+Z line 5\n$/);
});

test("unknown and stopped containers are reported as such", { skip }, async () => {
  await world.outputOf("gone", "true");
  await assert.rejects(world.outside.exec({ ...target("gone"), command: ["true"] }), /container not found|not found/);
  await assert.rejects(
    world.outside.logs({ ...target("gone"), previous: true }).text(),
    /previous terminated container "main" in pod "gone" not found/,
  );
});

test("a command that is too long fails; the longest variable still works", { skip }, async () => {
  // With its name, the longest string that the kernel accepts.
  const value = "ä".repeat((2 ** 17 - "BIG=".length - 2) / 2);
  const containers = [{ name: "main", image: busybox, command: ["sleep", "1000"], env: [{ name: "BIG", value }] }];
  await world.run("big", { containers });
  await world.until("big", "ready", isReady);
  assert.equal(await world.inside("big", ["sh", "-c", "printf %s $BIG | wc -c"]), String(2 ** 17 - "BIG=".length - 2));
  const [record] = world.node.find("default", "big")?.situation.containers.values() ?? [];
  assert.ok(record?.life.is === "running");
  const result = await world.runtime.runCommand(record.life.id, ["echo", "x".repeat(2 ** 18)], 60_000);
  assert.deepEqual([result.passed, result.isUnknown], [false, true]);
  assert.match(result.output, /^rpc error: code = Unknown desc = .*E2BIG/);
});

test("a container may have thousands of variables, as among many services", { skip }, async () => {
  const env = Array.from({ length: 5000 }, (_, index) => ({
    name: `SERVICE_${index}`,
    value: `tcp://10.0.0.1:${index}`,
  }));
  const count = ["sh", "-c", "env | grep -c ^SERVICE_"];
  const command = ["sh", "-c", `${count[2]}; exec sleep 1000`];
  await world.run("many", { containers: [{ name: "main", image: busybox, command, env }] });
  await world.until("many", "ready", isReady);
  assert.equal(await world.inside("many", count), "5000");
  await eventually(
    "its own",
    () => world.outside.logs(target("many")).text(),
    (text) => text === "5000\n",
  );
});

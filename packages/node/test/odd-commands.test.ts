/** Commands that cannot be executed, or that imitate the node's messages: reported as kubelet 1.36 with containerd and runc does. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ConfigMap, Event, type Container, type PodSpec } from "@capstan/kinds/v1";
import { busybox, eventually, hasEnded, isReady, skip, startRealWorld, type RealWorld } from "./real-world.ts";

let world: RealWorld;
before(async () => {
  if (skip === false) world = await startRealWorld();
});
after(async () => {
  if (skip === false) await world[Symbol.asyncDispose]();
});

const runc =
  "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ";

/** The result of a container: its exit, its log, and whether a start was reported. */
interface End {
  readonly reason: string | undefined;
  readonly code: number | undefined;
  readonly message: string | undefined;
  readonly log: string;
  readonly isStarted: boolean;
}

async function endOf(name: string, container: Partial<Container>, spec: Partial<PodSpec> = {}): Promise<End> {
  await world.run(name, {
    restartPolicy: "Never",
    ...spec,
    containers: [{ name: "main", image: busybox, ...container }],
  });
  const { status } = await world.until(name, "ended", hasEnded);
  const { reason, exitCode: code, message } = status?.containerStatuses?.[0]?.state?.terminated ?? {};
  const log = await world.outside.logs({ namespace: "default", name }).text();
  const { items } = await eventually(
    `word of ${name}`,
    () => world.client.list(Event, { namespace: "default", fieldSelector: `involvedObject.name=${name}` }).all(),
    ({ items }) => items.some((event) => event.reason === "Started" || event.reason === "Failed"),
  );
  const isStarted = items.some((event) => event.reason === "Started");
  return { reason, code, message: message?.replace(runc, ""), log: log.replaceAll("\r", ""), isStarted };
}

const count = ["sh", "-c", "echo $#"];
const long = "a".repeat(131_072);

test("a command that no kernel executes starts, logs the error and ends", { skip }, async () => {
  const cases: readonly (readonly [string, Partial<Container>, string])[] = [
    ["long-word", { command: [...count, long] }, "argument list too long"],
    ["long-word-tty", { command: [...count, long], tty: true }, "argument list too long"],
    ["long-variable", { command: count, env: [{ name: "A", value: long }] }, "argument list too long"],
    ["zero-word", { command: [...count, "a\0b"] }, "invalid argument"],
  ];
  for (const [name, container, why] of cases) {
    const log = `exec /usr/bin/sh: ${why}\n`;
    const expected = { reason: "Error", code: 1, message: undefined, log, isStarted: true };
    assert.deepEqual(await endOf(name, container), expected, name);
  }
});

test("a container that cannot be created never starts, and its log is empty", { skip }, async () => {
  const init = "error during container init: ";
  const cases: readonly (readonly [string, Partial<Container>, string])[] = [
    [
      "zero-variable",
      { command: count, env: [{ name: "A", value: "a\0b" }] },
      `${init}environment variable value can't contain null(\\x00): "A=a\\x00b"`,
    ],
    ["zero-folder", { command: count, workingDir: "/a\0b" }, `${init}mkdir /a\0b: invalid argument`],
    ["zero-program", { command: ["sh\0b"] }, 'exec: "sh\\x00b": executable file not found in $PATH'],
    ["long-nothing", { command: ["nosuch", long] }, 'exec: "nosuch": executable file not found in $PATH'],
    ["long-slash", { command: ["/nope", long] }, 'exec: "/nope": stat /nope: no such file or directory'],
    ["long-slash-tty", { command: ["/nope", long], tty: true }, 'exec: "/nope": stat /nope: no such file or directory'],
    ["long-folder", { command: ["/etc", long] }, 'exec: "/etc": permission denied'],
    ["long-file", { command: ["/etc/passwd", long] }, 'exec: "/etc/passwd": permission denied'],
    ["long-below", { command: ["/etc/passwd/x", long] }, 'exec: "/etc/passwd/x": stat /etc/passwd/x: not a directory'],
    ["long-line", { command: ["/bin/sh\nx", long] }, 'exec: "/bin/sh\\nx": stat /bin/sh\nx: no such file or directory'],
    ["equals", { command: ["a=b"] }, 'exec: "a=b": executable file not found in $PATH'],
    ["equals-slash", { command: ["/tmp/a=b"] }, 'exec: "/tmp/a=b": stat /tmp/a=b: no such file or directory'],
    ["no-program", { command: ["nosuch"] }, 'exec: "nosuch": executable file not found in $PATH'],
    ["no-program-tty", { command: ["nosuch"], tty: true }, 'exec: "nosuch": executable file not found in $PATH'],
    ["option", { command: ["--help"] }, 'exec: "--help": executable file not found in $PATH'],
    ["file", { command: count, workingDir: "/etc/passwd" }, `${init}mkdir /etc/passwd: not a directory`],
  ];
  for (const [name, container, message] of cases) {
    const expected = { reason: "StartError", code: 128, message, log: "", isStarted: false };
    assert.deepEqual(await endOf(name, container), expected, name);
  }
});

test("long commands and many variables work within the kernel's limits", { skip }, async () => {
  const words = Array.from({ length: 20 }, () => "a'".repeat(5000));
  for (const tty of [false, true]) {
    const { log, code } = await endOf(`much-${tty}`, { command: [...count, ...words], tty });
    assert.deepEqual([log, code], ["19\n", 0]);
  }
  const env = Array.from({ length: 14_000 }, (_, index) => ({ name: `V${index}`, value: " $x" }));
  const { log } = await endOf("variables", { command: ["sh", "-c", 'env | grep -c "^V[0-9]*= .x$"'], env });
  assert.equal(log, "14000\n");
});

test("program output that imitates an exec error is kept as output", { skip }, async () => {
  const launchers = "bwrap: execvp fake: No such file or directory";
  for (const [name, tty] of [
    ["fake", false],
    ["fake-tty", true],
  ] as const)
    assert.deepEqual(await endOf(name, { command: ["sh", "-c", `echo '${launchers}' >&2; exit 1`], tty }), {
      reason: "Error",
      code: 1,
      message: undefined,
      log: `${launchers}\n`,
      isStarted: true,
    });
});

/** Programs in a volume, independent of the image. */
const data = { plain: "echo hi\n", empty: "", lost: "#!/nope\n", good: "#!/bin/sh\necho good $#\n" };

test("a file that no kernel can execute is not passed to a shell", { skip }, async () => {
  await world.client.create(ConfigMap, { metadata: { namespace: "default", name: "programs" }, data });
  const volumes = [{ name: "v", configMap: { name: "programs", defaultMode: 0o755 } }];
  const end = async (name: string, container: Partial<Container>): Promise<End> =>
    endOf(name, { volumeMounts: [{ name: "v", mountPath: "/v" }], ...container }, { volumes });
  const env = [{ name: "PATH", value: "/v:/bin:/usr/bin" }];
  const cases: readonly (readonly [string, Partial<Container>, string])[] = [
    ["plain", { command: ["/v/plain", "x"] }, "/v/plain: exec format error"],
    ["plain-searched", { command: ["plain"], env }, "/v/plain: exec format error"],
    ["plain-tty", { command: ["/v/plain"], tty: true }, "/v/plain: exec format error"],
    ["plain-relative", { command: ["./plain"], workingDir: "/v" }, "./plain: exec format error"],
    ["empty", { command: ["/v/empty"] }, "/v/empty: exec format error"],
    ["no-interpreter", { command: ["/v/lost"] }, "/v/lost: no such file or directory"],
    ["long-good", { command: ["/v/good", long] }, "/v/good: argument list too long"],
  ];
  for (const [name, container, why] of cases) {
    const expected = { reason: "Error", code: 1, message: undefined, log: `exec ${why}\n`, isStarted: true };
    assert.deepEqual(await end(name, container), expected, name);
  }
  assert.equal((await end("good", { command: ["/v/good", "x"] })).log, "good 1\n");
  await world.run("asked", {
    volumes,
    containers: [
      { name: "main", image: busybox, command: ["sleep", "1000"], volumeMounts: [{ name: "v", mountPath: "/v" }] },
    ],
  });
  await world.until("asked", "runs", isReady);
  assert.equal(await world.inside("asked", ["/v/plain"]), "exec /v/plain: exec format error");
  assert.equal(await world.inside("asked", ["/v/good", "x"]), "good 1");
});

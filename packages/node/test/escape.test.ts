import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { after, before, test } from "node:test";
import { Pod, type Container } from "@capstan/kinds/v1";
import { busybox, eventually, isReady, skip, startRealWorld, type RealWorld } from "./real-world.ts";

const words = "capstan-secret-7392";
let world: RealWorld;
/** A folder of the machine that no pod may see or change. */
let secret: string;
before(async () => {
  if (skip !== false) return;
  world = await startRealWorld();
  secret = await mkdtemp("/var/tmp/secret-");
  await writeFile(join(secret, "words"), words, { mode: 0o600 });
});
after(async () => {
  if (skip !== false) return;
  await world[Symbol.asyncDispose]();
  await rm(secret, { recursive: true, force: true });
});

test("a privileged pod with hostPID finds no files of the machine", { skip }, async () => {
  const script = [
    `for way in root cwd; do ls /proc/1/$way/ && cat /proc/1/$way${secret}/words; done`,
    "for dev in /proc/1/root/dev/*; do [ -b $dev ] && echo disk; done",
    "for root in /proc/[0-9]*/root; do cat $root/etc/shadow; done",
    "touch /proc/1/root/usr/capstan-was-here && echo written",
    "mount -o remount,rw /proc/1/root/usr && touch /proc/1/root/usr/capstan-was-here && echo written",
  ].join("; ");
  const output = await world.outputOf(
    "looker",
    `(${script}) 2>&1; true`,
    { securityContext: { privileged: true } },
    { hostPID: true },
  );
  assert.match(
    output,
    /\/proc\/1\/root\/: Permission denied/,
    "the first of the processes that it sees is the node's, and it does not see what that sees",
  );
  assert.doesNotMatch(output, new RegExp(`${words}|root:|disk|written`));
});

test("a pod that may mount and trace exposes nothing of the machine", { skip }, async () => {
  const tamper = "(: >> $0/sys/kernel/core_pattern) 2>/dev/null && echo open";
  const script = [
    "umount /proc/sys; mkdir /p; mount -t proc proc /p; mount -t sysfs sys /p",
    ...["/proc", "/p"].map((place) => `sh -c '${tamper}' ${place}`),
    "ls /proc/1/root/mnt && echo node",
    "true",
  ].join("; ");
  const securityContexts = [{ privileged: true }, { capabilities: { add: ["SYS_ADMIN", "SYS_PTRACE"] } }];
  for (const [index, securityContext] of securityContexts.entries())
    for (const shareProcessNamespace of [false, true]) {
      const name = `tracer-${index}-${shareProcessNamespace}`;
      const output = await world.outputOf(name, `(${script}) 2>&1`, { securityContext }, { shareProcessNamespace });
      assert.doesNotMatch(output, /^(open|node)$/m, name);
    }
});

const isRoot = process.getuid?.() === 0;

test(
  "in a cluster of root, no container has SYS_PTRACE",
  { skip: skip || (isRoot ? false : "where root of the node is nobody on the machine, pods may trace") },
  async () => {
    const securityContexts = [{ privileged: true }, { capabilities: { drop: ["ALL"], add: ["SYS_PTRACE"] } }];
    for (const [index, securityContext] of securityContexts.entries()) {
      const name = `seizer-${index}`;
      await world.run(name, {
        containers: [{ name: "main", image: busybox, command: ["sleep", "1000"], securityContext }],
      });
      await world.until(name, "ready", isReady);
      for (const who of ["1", "self"]) {
        const status = await world.inside(name, ["grep", "CapEff", `/proc/${who}/status`]);
        const rights = BigInt(`0x${/CapEff:\t(\w+)/.exec(status)?.[1]}`);
        assert.equal(rights & (1n << 19n), 0n, `${name}: ${status}`);
      }
    }
  },
);

test(
  "in a cluster of root, no pod owns a user namespace",
  { skip: skip || (isRoot ? false : "as a user, who is not root has a namespace of users to be called so") },
  async () => {
    const securityContext = { runAsUser: 1234, capabilities: { drop: ["ALL"] }, allowPrivilegeEscalation: false };
    const container = { name: "main", image: busybox, command: ["sleep", "1000"] };
    await world.run("owner", { containers: [{ ...container, securityContext }] });
    await world.run("root", { containers: [container] });
    for (const name of ["owner", "root"]) await world.until(name, "ready", isReady);
    // Root of a container is in the user namespace of the node.
    const users = await world.inside("root", ["readlink", "/proc/1/ns/user"]);
    const script =
      "for who in 1 self; do readlink /proc/$who/ns/user; done; grep -hE '^(Uid|CapBnd)' /proc/1/status /proc/self/status";
    const who = "Uid:\t1234\t1234\t1234\t1234\nCapBnd:\t0000000000000000";
    assert.equal(await world.inside("owner", ["sh", "-c", script]), `${users}\n${users}\n${who}\n${who}`);
  },
);

test(
  "root has the supplementary groups of its pod, also in exec",
  { skip: skip || (isRoot ? false : "as a user there are no other groups to have") },
  async () => {
    const securityContext = { runAsUser: 0, runAsGroup: 5, supplementalGroups: [7], fsGroup: 9 };
    await world.run("grouped", { securityContext });
    await world.until("grouped", "ready", isReady);
    const status = await world.inside("grouped", [
      "grep",
      "-hE",
      "^(Gid|Groups)",
      "/proc/1/status",
      "/proc/self/status",
    ]);
    const groups = "Gid:\t5\t5\t5\t5\nGroups:\t5 7 9";
    assert.equal(status.replaceAll(/ +$/gm, ""), `${groups}\n${groups}`);
  },
);

test("shared PID namespaces contain no process with access to the node's files", { skip }, async () => {
  const securityContext = { capabilities: { drop: ["ALL"] }, allowPrivilegeEscalation: false };
  const container = { image: busybox, command: ["sleep", "1000"] };
  const containers = [
    { ...container, name: "root", securityContext },
    { ...container, name: "user", securityContext: { ...securityContext, runAsUser: 1234 } },
  ];
  const script =
    "for process in /proc/[0-9]*; do ls -d $process/root/mnt/node $process/cwd/mnt/node; done 2>/dev/null; ls -d /proc/1";
  for (const spec of [{ shareProcessNamespace: true }, { hostPID: true }]) {
    const [name = ""] = Object.keys(spec).map((key) => key.toLowerCase());
    await world.run(name, { ...spec, containers });
    await world.until(name, "ready", isReady);
    for (const who of ["root", "user"])
      assert.equal(await world.inside(name, ["sh", "-c", script], who), "/proc/1", `${name} ${who}`);
  }
});

test("no name, mount or file of a pod shadows the programs that enter it", { skip }, async () => {
  const evil = "#!/bin/sh\necho EVIL";
  const volumes = [{ name: "evil", emptyDir: {} }];
  const plant = `for name in ld-linux-x86-64.so.2 setpriv env; do printf '${evil}' > /evil/$name; chmod 755 /evil/$name; done; mkdir /evil/root; cp -r /evil/*.* /evil/root`;
  const initContainers = [
    {
      name: "planter",
      image: busybox,
      command: ["sh", "-c", plant],
      volumeMounts: [{ name: "evil", mountPath: "/evil" }],
    },
  ];
  const loader = "/../oldroot/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2";
  for (const [index, mount] of [
    { mountPath: loader, subPath: "ld-linux-x86-64.so.2" },
    { mountPath: "/.capstan" },
    { mountPath: "/../oldroot/mnt" },
  ].entries()) {
    const volumeMounts = [{ name: "evil", ...mount }];
    const containers = [{ name: "main", image: busybox, command: ["sleep", "1000"], volumeMounts }];
    await world.run(`named-${index}`, { volumes, initContainers, containers });
    await world.until(`named-${index}`, "ready", isReady);
    assert.equal(await world.inside(`named-${index}`, ["echo", "well"]), "well");
  }
});

test("links in a volume resolve within the pod, wherever mounts are placed", { skip }, async () => {
  const plant = [
    "ln -s /oldroot/mnt/node/pods/$UID/volumes /a/l",
    "ln -s /oldroot /b/c",
    "ln -s /oldroot/mnt/node/disk /a/log",
    "mkdir /a/real",
  ].join("; ");
  const env = [{ name: "UID", valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } }];
  const planter = {
    name: "planter",
    image: busybox,
    command: ["sh", "-c", plant],
    env,
    volumeMounts: ["a", "b"].map((name) => ({ name, mountPath: `/${name}` })),
  };
  const volumes = ["a", "b", "c"].map((name) => ({ name, emptyDir: {} }));
  const tries: readonly (readonly [string, Partial<Container>])[] = [
    ["over a link in another", { volumeMounts: mountsAt({ a: "/a", b: "/a/l", c: "/c" }) }],
    ["through a link in another", { volumeMounts: mountsAt({ a: "/a", b: "/a/log/deep", c: "/c" }) }],
    ["last words through a link", { volumeMounts: mountsAt({ a: "/a" }), terminationMessagePath: "/a/log/planted" }],
    ["by the launcher's own process", { volumeMounts: mountsAt({ c: "/proc/self/root/oldroot/mnt/node/disk" }) }],
  ];
  for (const [index, [what, container]] of tries.entries()) {
    const main = {
      name: "main",
      image: busybox,
      command: ["sh", "-c", "ls /c /c/mnt/node; sleep 1000"],
      ...container,
    };
    await world.run(`linker-${index}`, { volumes, initContainers: [planter], containers: [main] });
    const { status } = await world.until(`linker-${index}`, what, isRefused);
    assert.match(JSON.stringify(status), /lead out of \/a|inside \/proc/, what);
  }
  const nested = { volumeMounts: mountsAt({ a: "/a", b: "/a/real/made", c: "/a/real/made/d" }) };
  const script = "echo x > /a/real/made/d/file; cat /a/real/made/d/file; ls -A /a/real/made";
  assert.equal(await world.outputOf("nester", script, nested, { volumes, initContainers: [planter] }), "x\nc\nd\n");
  const disk = { volumes: [{ name: "disk", hostPath: { path: "/" } }] };
  const left = await world.outputOf(
    "disk-looker",
    "find /disk -name planted -o -name deep",
    { volumeMounts: mountsAt({ disk: "/disk" }) },
    disk,
  );
  assert.equal(left, "", "nothing was made on the node's disk");
});

function mountsAt(paths: {
  readonly [volume: string]: string;
}): { readonly name: string; readonly mountPath: string }[] {
  return Object.entries(paths).map(([name, mountPath]) => ({ name, mountPath }));
}

/** The container could not be started and reports why; the program is not the reason. */
function isRefused({ status }: Pod): boolean {
  const { state, lastState } = status?.containerStatuses?.[0] ?? {};
  return (state?.terminated ?? lastState?.terminated)?.reason === "StartError";
}

test("a volume in a read-only one is writable, and fails without a mount point", { skip }, async () => {
  const folder = { name: "fixed", emptyDir: {} };
  const volumes = [folder, { name: "free", emptyDir: {} }];
  const volumeMounts = (at: string): NonNullable<Container["volumeMounts"]> => [
    { name: "fixed", mountPath: "/fixed", readOnly: true },
    { name: "free", mountPath: at },
  ];
  const maker = {
    name: "maker",
    image: busybox,
    command: ["mkdir", "/fixed/there"],
    volumeMounts: mountsAt({ fixed: "/fixed" }),
  };
  const script = "echo x > /fixed/there/file && cat /fixed/there/file; touch /fixed/file 2> /dev/null || echo refused";
  const spec = { volumes, initContainers: [maker] };
  assert.equal(
    await world.outputOf("placed", script, { volumeMounts: volumeMounts("/fixed/there") }, spec),
    "x\nrefused\n",
  );
  const main = { name: "main", image: busybox, command: ["true"], volumeMounts: volumeMounts("/fixed/no") };
  await world.run("no-place", { ...spec, containers: [main] });
  const { status } = await world.until("no-place", "refused", isRefused);
  assert.match(JSON.stringify(status), /mkdir \/fixed\/no: read-only file system/);
});

test("a variable cannot inject options into the launcher", { skip }, async () => {
  const env = [{ name: "A", value: "x\0--bind\0/\0/host" }];
  await world.run("nul", { containers: [{ name: "main", image: busybox, command: ["sleep", "1000"], env }] });
  const pod = await world.until("nul", "refused", ({ status }) => {
    const { state, lastState } = status?.containerStatuses?.[0] ?? {};
    return (state?.terminated ?? lastState?.terminated)?.reason === "StartError";
  });
  const { state, lastState } = pod.status?.containerStatuses?.[0] ?? {};
  const { message = "" } = state?.terminated ?? lastState?.terminated ?? {};
  assert.match(message, /environment variable value can't contain null\(\\x00\): "A=x\\x00--bind/);
  await world.client.delete(Pod, { namespace: "default", name: "nul" });
});

test("parent folders of a mount are root's and accessible to all users", { skip }, async () => {
  const script =
    "stat -c '%a %u' /data /data/x; chown nobody /data/x/db; su nobody -s /bin/sh -c 'touch /data/x/db/file && echo written'";
  const volumes = [{ name: "db", emptyDir: {} }];
  const output = await world.outputOf("dropper", script, { volumeMounts: mountsAt({ db: "/data/x/db" }) }, { volumes });
  assert.equal(output, "755 0\n755 0\nwritten\n");
});

test("variables of containers and of exec are in no command line of the machine", { skip }, async () => {
  const value = "variable-secret-5521 'x' \"y\" $HOME \\n";
  const env = [{ name: "PASSWORD", value: value.replaceAll("$", "$$$$") }];
  const containers = [{ name: "main", image: busybox, command: ["sleep", "1000"], env }];
  await world.run("shim-of-secrets", { containers });
  await world.until("shim-of-secrets", "ready", isReady);
  const command = ["sh", "-c", 'printf %s "$PASSWORD" > /tmp/seen; read line'];
  const session = await world.outside.exec({ namespace: "default", name: "shim-of-secrets", command, stdin: true });
  const seen = (): Promise<string> => world.inside("shim-of-secrets", ["cat", "/tmp/seen"]);
  assert.equal(await eventually("what the command has", seen, (text) => text.includes("\\n")), value);
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  assert.ok(
    lines.some((line) => line.includes("/tmp/seen")),
    "the command runs while we look",
  );
  assert.deepEqual(
    lines.filter((line) => line.includes("variable-secret-5521")),
    [],
  );
  await session.end();
  await session.finish();
});

test("a container that changed its namespaces is entered in the original ones", { skip }, async () => {
  const programs = "ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 setpriv env filter";
  const plant = [
    "kit=$(echo /.capstan-*)",
    "mount -t tmpfs own $kit",
    `for name in ${programs}; do printf '#!/bin/sh\\necho EVIL; grep CapEff /proc/self/status\\n' > $kit/$name; chmod 755 $kit/$name; done`,
    "$kit/env && echo planted",
    "exec sleep 1000",
  ].join("; ");
  const securityContext = { runAsUser: 1234, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  const command = ["unshare", "-U", "-r", "-m", "sh", "-c", plant];
  await world.run("mover", { containers: [{ name: "main", image: busybox, command, securityContext }] });
  await world.until("mover", "ready", isReady);
  const said = (): Promise<string> => world.outside.logs({ namespace: "default", name: "mover" }).text();
  await eventually("programs of its own", said, (text) => text.includes("planted"));
  assert.match(
    await world.inside("mover", ["sh", "-c", "id -u; grep CapEff /proc/self/status"]),
    /^1234\nCapEff:\t0+$/,
  );
});

test("no file of a container is read before the node's rights are dropped", { skip }, async () => {
  // A loader reads this file first, and blocks on a pipe: the test can then inspect the process.
  const script = "mkfifo /tmp/wait; mkfifo /etc/ld.so.preload; echo ready /.capstan-*; read word < /tmp/wait";
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  const containers = [{ name: "main", image: busybox, command: ["sh", "-c", script], securityContext }];
  await world.run("asked", { containers });
  const said = (): Promise<string> => world.outside.logs({ namespace: "default", name: "asked" }).text();
  await world.until("asked", "ready", isReady);
  const log = await eventually("the pipe", said, (text) => /^ready .*\n/.test(text));
  const [kit = ""] = /(?<=^ready )\/\.capstan-\w+$/m.exec(log) ?? [];
  assert.notEqual(kit, "", log);
  const session = await world.outside.exec({ namespace: "default", name: "asked", command: ["true"] });
  const asking = await eventually(
    "whoever asks",
    () => statusOfEntering(kit),
    (text) => text !== "",
  );
  session.close();
  assert.match(asking, /^CapPrm:\t0+\nCapEff:\t0+\nCapBnd:\t0+\n(CapAmb:\t0+\n)?NoNewPrivs:\t1$/m);
  await world.client.delete(Pod, { namespace: "default", name: "asked" });
});

/**
 * The kernel's status of a process that runs the node's programs within a container. Other clusters on this machine also have containers;
 * this one is identified by its folder.
 */
async function statusOfEntering(kit: string): Promise<string> {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (!line.startsWith(`${kit}/ld`)) continue;
    return readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  }
  return "";
}

test("a container that changed its root is entered at its original root", { skip }, async () => {
  const script = [
    "mkdir -p /own/bin",
    "cp /bin/busybox /own/bin/busybox || cp $(command -v busybox) /own/bin/busybox",
    "echo inner > /own/where; echo outer > /where",
    "exec chroot /own /bin/busybox sleep 1000",
  ].join("; ");
  await world.run("rooted", { containers: [{ name: "main", image: busybox, command: ["sh", "-c", script] }] });
  await world.until("rooted", "ready", isReady);
  const root = (): Promise<string> => world.inside("rooted", ["readlink", "/proc/1/root"]);
  await eventually("the change of the root", root, (path) => path === "/own");
  assert.equal(await world.inside("rooted", ["cat", "/where"]), "outer");
});

test("pods inherit neither open files nor the umask of the node's caller", { skip }, async () => {
  const open = openSync("/etc/passwd", "r");
  try {
    const child = spawnSync(process.execPath, [...process.execArgv, join(import.meta.dirname, "leaky.ts")], {
      stdio: ["ignore", "pipe", "inherit", ...Array.from({ length: 60 }, () => open)],
    });
    const told = child.stdout.toString("utf8");
    assert.match(told, /files: 0 1 2\n/);
    assert.match(told, /others: 0022 755 755 777 read and written\n/);
  } finally {
    closeSync(open);
  }
});

test("files that pods leave on a node's disk are not trusted by the node", { skip }, async () => {
  const disk = { name: "disk", hostPath: { path: "/" } };
  const volumeMounts = [{ name: "disk", mountPath: "/disk" }];
  const plant = `rm /disk/etc/hosts; ln -s ${secret}/words /disk/etc/hosts`;
  await world.outputOf("host-planter", plant, { volumeMounts }, { volumes: [disk] });
  const hosts = await world.outputOf("on-node", "cat /etc/hosts", {}, { hostNetwork: true });
  assert.doesNotMatch(hosts, new RegExp(words));
  assert.match(hosts, /localhost/);
});

test("the removal of a volume removes no files of the machine", { skip }, async () => {
  const disk = { name: "disk", hostPath: { path: "/" } };
  const volumeMounts = [{ name: "disk", mountPath: "/disk" }];
  const plant = `mkdir -p /disk/volumes/gone/deep; ln -s ${secret} /disk/volumes/gone/link; ln -s ${secret} /disk/volumes/way`;
  await world.outputOf("volume-planter", plant, { volumeMounts }, { volumes: [disk] });
  for (const path of ["/volumes/gone", "/volumes/way/words", "/volumes/way"]) await world.machine.removeFromDisk(path);
  const left = await world.outputOf("volume-looker", "ls /disk/volumes", { volumeMounts }, { volumes: [disk] });
  assert.equal(left, "");
  assert.deepEqual(await readdir(secret), ["words"]);
});

test("links on a node's disk resolve within that disk, not on the machine", { skip }, async () => {
  const plant = `ln -s ${secret} /disk/link; ln -s ${secret}/words /disk/file`;
  const disk = { name: "disk", hostPath: { path: "/" } };
  await world.outputOf("planter", plant, { volumeMounts: [{ name: "disk", mountPath: "/disk" }] }, { volumes: [disk] });
  const volumes = [
    disk,
    { name: "link", hostPath: { path: "/link" } },
    { name: "below", hostPath: { path: "/link/below", type: "DirectoryOrCreate" as const } },
    { name: "file", hostPath: { path: "/file", type: "FileOrCreate" as const } },
  ];
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const script = `cat /link/words /file; echo planted > /link/planted; cat /disk${secret}/planted; ls -d /disk${secret}/below`;
  const output = await world.outputOf("follower", `(${script}) 2>&1; true`, { volumeMounts }, { volumes });
  assert.doesNotMatch(output, new RegExp(words));
  assert.match(output, /^planted$/m, "a link leads on within the disk");
  assert.deepEqual(await readdir(secret), ["words"], "nothing was made on the machine");
  const part = { name: "main", image: busybox, command: ["true"] };
  const partMounts = [{ name: "disk", mountPath: "/part", subPath: "link" }];
  await world.run("parted", { volumes: [disk], containers: [{ ...part, volumeMounts: partMounts }] });
  const refused = await world.until("parted", "refused", ({ status }) =>
    /CreateContainerConfigError/.test(JSON.stringify(status?.containerStatuses)),
  );
  const message = 'failed to prepare subPath for volumeMount "disk" of container "main"';
  assert.equal(refused.status?.containerStatuses?.[0]?.state?.waiting?.message, message);
});

test("files of pods are accessible only to the owner, also while pods run", { skip }, async () => {
  const output = await world.outputOf("other", "id -u", { securityContext: { runAsUser: 1234 } });
  assert.equal(output, "1234\n");
  assert.equal((await stat(world.state)).mode & 0o077, 0);
});

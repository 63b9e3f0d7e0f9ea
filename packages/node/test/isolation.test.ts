import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Container } from "@capstan/kinds/v1";
import { busybox, hasEnded, isReady, skip, startRealWorld, type RealWorld } from "./real-world.ts";

let world: RealWorld;
let other: RealWorld;
before(async () => {
  if (skip !== false) return;
  world = await startRealWorld();
  other = await startRealWorld();
});
after(async () => {
  if (skip !== false) return;
  await world[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

test("a pod reads no file of the machine, by any path", { skip }, async () => {
  const folder = await mkdtemp("/var/tmp/secret-");
  await writeFile(join(folder, "secret"), "capstan-secret-7391");
  try {
    const volumes = [{ name: "root", hostPath: { path: "/" } }];
    const volumeMounts = [{ name: "root", mountPath: "/host" }];
    const script = [
      `cat ${folder}/secret /host${folder}/secret /proc/1/root${folder}/secret /proc/self/cwd/../../../..${folder}/secret`,
      "ls /host; ls -d /host/root /host/usr /host/proc",
      // A link out of the volume leads at most to the container's own files.
      `ln -s ${folder} /host/link; cat /host/link/secret`,
      "mknod /host/disk b 254 0 && dd if=/host/disk bs=1 count=1",
      "mkdir /tmp/a; mount -t proc proc /tmp/a && echo mounted; mount --bind / /tmp/a && echo mounted; mount -t tmpfs t /tmp/a && echo mounted",
      "chroot /proc/1/root true && cat /proc/1/root/etc/shadow",
      "find / -xdev -name secret 2>/dev/null",
    ].join("; ");
    const output = await world.outputOf("thief", `(${script}) 2>&1; true`, { volumeMounts }, { volumes });
    assert.doesNotMatch(output, /capstan-secret-7391|mounted/);
    assert.match(output, /can't open|No such file/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the RuntimeDefault profile denies namespaces and keys; others are unfiltered", { skip }, async () => {
  const script = "grep ^Seccomp: /proc/self/status; unshare -U true && echo made; echo $?; (exec sleep 0) && echo runs";
  const securityContext = { seccompProfile: { type: "RuntimeDefault" as const } };
  const filtered = await world.outputOf("filtered", `(${script}) 2>&1`, { securityContext });
  assert.match(filtered, /Seccomp:\s+2/);
  assert.match(filtered, /Operation not permitted/);
  assert.match(filtered, /runs/);
  assert.doesNotMatch(filtered, /made/);
  assert.match(await world.outputOf("unfiltered", `(${script}) 2>&1`), /Seccomp:\s+0[^]*made/);
});

test("a pod cannot reach the machine's cgroups through a user namespace", { skip }, async () => {
  const { code } = await world.machine.run(["unshare", "--user", "--map-root-user", "--mount", "--cgroup", "true"]);
  assert.notEqual(code, 0, "in a namespace of groups, all groups of the machine could be mounted");
  const script =
    "cat /proc/sys/user/max_cgroup_namespaces; echo 9 > /proc/sys/user/max_cgroup_namespaces && echo raised";
  assert.equal(await world.outputOf("grouper", `(${script}) 2>/dev/null; true`), "0\n");
});

test("a pod sees only its own processes and cannot affect others", { skip }, async () => {
  const script = `ps | grep -c .; kill -9 -1; kill -9 ${process.pid}; cat /proc/${process.pid}/environ; echo alive`;
  const output = await world.outputOf("killer", `(${script}) 2>&1`);
  assert.ok(Number(output.split("\n")[0]) < 10, output);
  assert.equal(process.kill(process.pid, 0), true);
  assert.doesNotMatch(output, /PATH=/);
});

test("a pod reaches neither the machine's network nor its loopback", { skip }, async () => {
  const server = createServer((socket) => socket.end("machine"));
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  try {
    const script = ["127.0.0.1", "172.30.0.1", "$(ip route | awk '/default/{print $3}')"]
      .map((host) => `nc -w 1 ${host} ${address.port}`)
      .join("; ");
    const output = await world.outputOf("caller", `(${script}; ip -o link | wc -l) 2>&1; true`);
    assert.doesNotMatch(output, /machine/);
    assert.match(output.trim(), /2$/, "it has its loopback and its own line");
  } finally {
    server.close();
  }
});

test("pods of two clusters with the same addresses are isolated", { skip }, async () => {
  const listen = { command: ["sh", "-c", "while :; do echo other | nc -l -p 7000; done"] };
  await other.run("listener", { containers: [{ name: "main", image: "capstan.test/busybox:1", ...listen }] });
  const ip = (await other.until("listener", "ready", isReady)).status?.podIP ?? "";
  const hears = "for i in $(seq 60); do nc -w 30 $0 7000 && exit; sleep 1; done";
  assert.match(await other.outputOf("near", hears, { command: ["sh", "-c", hears, ip] }), /other/);
  assert.doesNotMatch(await world.outputOf("far", `nc -w 1 ${ip} 7000 2>&1; true`), /other/);
});

test("a container has the requested capabilities and no others", { skip }, async () => {
  const bits = "grep -E 'CapEff|NoNewPrivs' /proc/self/status";
  const capabilities = { drop: ["ALL"], add: ["NET_BIND_SERVICE"] };
  const few = await world.outputOf("few", bits, { securityContext: { capabilities } });
  assert.match(few, /CapEff:\s0000000000000400/);
  assert.match(few, /NoNewPrivs:\s1/, "what is not there cannot be won back");
  const none = await world.outputOf("none", bits, { securityContext: { runAsUser: 1000 } });
  assert.match(none, /CapEff:\s0000000000000000/);
  assert.match(none, /NoNewPrivs:\s1/);
  const readOnly = { securityContext: { readOnlyRootFilesystem: true } };
  assert.match(await world.outputOf("reader", "echo x > /x 2>&1; echo done", readOnly), /Read-only file system/);
  const output = await world.outputOf(
    "sysctl",
    "cat /proc/sys/net/ipv4/tcp_fin_timeout",
    {},
    {
      securityContext: { sysctls: [{ name: "net.ipv4.tcp_fin_timeout", value: "17" }] },
    },
  );
  assert.equal(output.trim(), "17");
});

test("machine-wide kernel settings are read-only in containers", { skip }, async () => {
  const script = "for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do (: >> $file) 2>&1; done; echo done";
  for (const [name, spec] of [
    ["alone", {}],
    ["together", { shareProcessNamespace: true }],
  ] as const) {
    const said = await world.outputOf(`tamper-${name}`, script, {}, spec);
    assert.equal(said.match(/Read-only file system|nonexistent/g)?.length, 2, said);
  }
});

test("memory, keys and timers of the machine are masked", { skip }, async () => {
  const script =
    "for file in kcore keys latency_stats timer_list; do cat /proc/$file 2>/dev/null | head -c 10; done; ls -A /proc/acpi /proc/scsi /sys/firmware 2>/dev/null | grep -v :; echo done";
  assert.equal((await world.outputOf("masked", script)).trim(), "done");
  const open = await world.outputOf("unmasked", "cat /proc/timer_list | wc -c", {
    securityContext: { privileged: true },
  });
  assert.match(open, /\d/);
});

test("exec has the capabilities and the filter of the container, not the node's", { skip }, async () => {
  const wishes: { readonly [name: string]: Container["securityContext"] } = {
    plain: {},
    bound: { capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } },
    nothing: { capabilities: { drop: ["ALL"] } },
    person: { runAsUser: 1000, runAsGroup: 2000 },
    all: { privileged: true },
    filtered: { seccompProfile: { type: "RuntimeDefault" } },
    stranger: { runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
  };
  for (const [name, securityContext = {}] of Object.entries(wishes)) {
    const pod = `entered-${name}`;
    const tell = (name: string): string =>
      `[ -e /shared/${name} ] || { (cat /proc/self/status; id) > /shared/${name}.new; mv /shared/${name}.new /shared/${name}; }`;
    const hook = { exec: { command: ["sh", "-c", tell("hook")] } };
    const probe = { exec: { command: ["sh", "-c", `${tell("probe")}; [ -e /shared/main ]`] }, periodSeconds: 1 };
    await world.run(pod, {
      containers: [
        {
          name: "main",
          image: "capstan.test/busybox:1",
          command: ["sh", "-c", `${tell("main")}; exec sleep 1000`],
          securityContext,
          lifecycle: { postStart: hook },
          readinessProbe: probe,
          volumeMounts: [{ name: "shared", mountPath: "/shared" }],
        },
      ],
      volumes: [{ name: "shared", emptyDir: {} }],
    });
    await world.until(pod, "ready", isReady);
    const [main = "", hooked = "", probed = ""] = await Promise.all(
      ["main", "hook", "probe"].map((file) => world.inside(pod, ["cat", `/shared/${file}`])),
    );
    const entered = await world.inside(pod, ["sh", "-c", "cat /proc/self/status; id"]);
    assert.deepEqual(rightsIn(hooked), rightsIn(main), `${name}: hook`);
    assert.deepEqual(rightsIn(probed), rightsIn(main), `${name}: probe`);
    assert.deepEqual(rightsIn(entered), rightsIn(main), `${name}: exec`);
    assert.equal(/^Seccomp:\s+2$/m.test(main), securityContext.seccompProfile !== undefined, name);
  }
});

/** The capabilities and the ids of a process. */
function rightsIn(status: string): readonly string[] {
  const lines = status
    .split("\n")
    .filter((line) => /^(CapEff|CapPrm|NoNewPrivs|Seccomp|Seccomp_filters|uid=)/.test(line));
  assert.equal(lines.length, 6, status);
  return lines;
}

test("variables of a container do not affect the programs of the node", { skip }, async () => {
  const env = [{ name: "LD_PRELOAD", value: "/nowhere/evil.so" }];
  assert.equal(await world.outputOf("preload", "echo $LD_PRELOAD", { env }), "/nowhere/evil.so\n");
});

test("a signal to the process group stays within the container", { skip }, async () => {
  const loop = (command: string): Container => ({ name: "main", image: busybox, command: ["sh", "-c", command] });
  await world.run("bystander", { containers: [loop("sleep 100000")] });
  await world.until("bystander", "ready", isReady);
  for (const tty of [false, true]) {
    const name = `killer-${tty}`;
    const killer = { ...loop("sleep 1; kill -9 0; trap '' TERM; kill 0; exit 3"), tty };
    await world.run(name, { restartPolicy: "Never", containers: [killer] });
    await world.until(name, "ended", hasEnded);
    const { status } = await world.pod(name);
    // The first process of a PID namespace is not killed from within; on a terminal the launcher is in the same group.
    if (!tty) assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 3);
  }
  await world.inside("bystander", ["sh", "-c", "kill -9 0"]);
  assert.equal(await world.inside("bystander", ["sh", "-c", "echo still here"]), "still here");
  const { status } = await world.pod("bystander");
  assert.equal(status?.containerStatuses?.[0]?.restartCount, 0);
});

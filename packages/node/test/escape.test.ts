import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { busybox, skip, startRealWorld, type RealWorld } from "./real-world.ts";

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

test("who sees all processes of the node, with all rights, finds none of the machine's files", { skip }, async () => {
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
  assert.match(output, /^proc$/m, "it does see the root of the node");
  assert.doesNotMatch(output, new RegExp(`${words}|root:|disk|written`));
});

test("links on a node's disk lead to that disk, not to the machine", { skip }, async () => {
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

test("what pods leave on disk is the owner's alone, also while pods of other users run", { skip }, async () => {
  const output = await world.outputOf("other", "id -u", { securityContext: { runAsUser: 1234 } });
  assert.equal(output, "1234\n");
  assert.equal((await stat(world.state)).mode & 0o077, 0);
});

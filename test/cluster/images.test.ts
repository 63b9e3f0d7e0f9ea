import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Pod } from "@capstan/kinds/v1";
import { buildImage, buildIndex, openStore, platformOf, programEntries, saveArchive, type Store } from "@capstan/oci";
import { stages } from "./target.ts";
import { until } from "./until.ts";

const reference = "capstan.test/made-here:1";

for (const { name, skip, open } of stages) {
  const title = `on ${name}, an image that was made here without a daemon is read back and run, with its layers, owners and links`;
  test(title, { skip }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "image-"));
    t.after(() => rm(folder, { recursive: true }));
    const store = await openStore(join(folder, "store"));
    await build(store);
    const archive = join(folder, "image.tar");
    await saveArchive(reference, store, archive);
    const { client, namespace, load } = await open(t, []);
    await load(archive);
    await client.create(Pod, {
      metadata: { name: "reader", namespace },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: reference, imagePullPolicy: "Never" }] },
    });
    const phase = await until("the program has ended", async () => {
      const { status } = await client.get(Pod, { namespace, name: "reader" });
      return status?.phase === "Succeeded" || status?.phase === "Failed" ? status.phase : undefined;
    });
    const said = await client.logs({ namespace, name: "reader" }).text();
    assert.equal(phase, "Succeeded", said);
    assert.deepEqual(said.trim().split("\n"), [
      "/srv",
      "hello from the environment",
      "the second layer wins",
      "seen through a link",
      "640 1000 1001",
      // Container runtimes report the user of an image to kubelets, and not its group.
      "uid=1000 gid=0",
    ]);
  });
}

const script = [
  "pwd",
  'echo "$GREETING"',
  "cat /srv/both",
  "cat /srv/link",
  "stat -c '%a %u %g' /srv/owned",
  'echo "uid=$(id -u) gid=$(id -g)"',
];

/** Two layers, for this machine's platform and for another, under one name. */
async function build(store: Store): Promise<void> {
  const tools = ["/bin/sh", "/bin/cat", "/usr/bin/stat", "/usr/bin/id"];
  const programs = await Promise.all(tools.map((path) => programEntries(path, { at: path })));
  const seen = new Set<string>();
  const base = programs.flat().filter(({ path }) => !seen.has(path) && seen.add(path));
  const recipe = {
    platform: platformOf(process),
    layers: [
      [...base, { path: "/srv/both", body: "the first layer\n" }],
      [
        { path: "/srv/both", body: "the second layer wins\n" },
        { path: "/srv/file", body: "seen through a link\n" },
        { path: "/srv/link", type: "symlink" as const, target: "file" },
        { path: "/srv/owned", body: "", mode: 0o640, uid: 1000, gid: 1001 },
      ],
    ],
    config: {
      Entrypoint: ["/bin/sh", "-ec"],
      Cmd: [script.join("\n")],
      Env: ["GREETING=hello from the environment", "PATH=/usr/bin:/bin"],
      WorkingDir: "/srv",
      User: "1000:1001",
    },
  };
  const mine = await buildImage(recipe, store);
  const foreign = { os: "linux", architecture: "s390x" };
  const other = await buildImage({ ...recipe, platform: foreign, layers: [[{ path: "/none", body: "" }]] }, store);
  await store.tag(reference, await buildIndex([other, mine], store));
}

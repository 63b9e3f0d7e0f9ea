/** The operator's image on a real Kubernetes, deployed by its manifests under restricted pod security; and the scorecard's pods. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildTestImages, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { realKubectl } from "./kubectl.ts";
import { capstan } from "./terminal.ts";

const entry = fileURLToPath(new URL("../../../examples/memcached/main.ts", import.meta.url));
const image = "capstan.test/cache-operator:v0.1.0";
const busybox = "capstan.test/busybox:1";

const object = {
  apiVersion: "cache.example.com/v1alpha1",
  kind: "Memcached",
  metadata: { name: "mine", namespace: "default" },
  spec: { size: 2, image: "capstan.test/memcached:1.6" },
};

const own = {
  image: busybox,
  entrypoint: [
    "sh",
    "-c",
    `test -s /bundle/metadata/annotations.yaml && echo left > $SCORECARD_STORAGE/a && echo '{"results":[{"name":"own","state":"pass"}]}'`,
  ],
  labels: { suite: "own", test: "kept" },
  storage: { spec: { mountPath: { path: "/kept" } } },
};

test(
  "an image built without Docker runs on Kubernetes, with scorecard tests",
  { skip: kubernetesMissing({ node: true }), timeout: 900_000 },
  async (t) => {
    const cwd = join(await mkdtemp(join(tmpdir(), "capstan-image-real-")), "cache-operator");
    t.after(() => rm(dirname(cwd), { recursive: true, force: true }));
    await mkdir(cwd);
    await writeFile(join(cwd, "package.json"), '{"name":"cache-operator","version":"0.1.0"}');
    const cluster = await useKubernetes(t, { node: true, own: true });
    const built = await capstan(["image", "build", image, "--entry", entry, "--archive", "operator.tar"], { cwd });
    assert.equal(built.code, 0, built.err);
    const others = await buildTestImages({ only: ["memcached", "busybox"] });
    await cluster.load([join(cwd, "operator.tar"), ...others.map(({ archive }) => archive)]);

    const program = await realKubectl();
    const kubectl = async (...words: readonly string[]): Promise<string> =>
      (await promisify(execFile)(program, words, { cwd, env: { ...process.env, KUBECONFIG: cluster.kubeconfig } }))
        .stdout;
    await capstan(["generate", "manifests", "--entry", entry, "--image", image, "--out", "deploy"], { cwd });
    await kubectl("apply", "--server-side", "-f", "deploy/install.yaml");
    await kubectl("-n", "memcached-system", "rollout", "status", "deploy/memcached", "--timeout=300s");
    await writeFile(join(cwd, "object.json"), JSON.stringify(object));
    await kubectl("apply", "-f", "object.json");
    await kubectl("wait", "--for=condition=Available", "memcached/mine", "--timeout=300s");

    const config = {
      apiVersion: "scorecard.operatorframework.io/v1alpha3",
      kind: "Configuration",
      stages: [{ tests: [own] }],
    };
    await writeFile(join(cwd, "config.json"), JSON.stringify(config));
    await capstan(["bundle", "generate", "--entry", entry, "--image", image], { cwd });
    const words = [
      "scorecard",
      "bundle",
      "-c",
      "config.json",
      "--kubeconfig",
      cluster.kubeconfig,
      "-w",
      "5m",
      "-b",
      busybox,
    ];
    const scored = await capstan(words, { cwd });
    assert.equal(scored.code, 0, scored.out + scored.err);
    assert.equal(await readFile(join(cwd, "test-output/own/kept/a"), "utf8"), "left\n");
    assert.equal(
      await kubectl("get", "pods,configmaps", "-l", "app=scorecard-test", "-o", "name", "-n", "default"),
      "",
    );
  },
);

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type RealCluster, startCluster } from "@capstan/cluster";
import { ConfigMap, Pod } from "@capstan/kinds/v1";
import { buildImage, openStore, platformOf, programEntries } from "@capstan/oci";
import { capstan } from "./terminal.ts";

const entry = fileURLToPath(new URL("../../../examples/memcached/main.ts", import.meta.url));
const tools = ["bwrap", "ip", "nft"].filter((program) => spawnSync("which", [program]).status !== 0);
const skip =
  (process.platform !== "linux" || tools.length > 0) && process.env["CI"] !== "true"
    ? `real pods need Linux with ${tools.join(", ")}`
    : false;

const image = "capstan.test/scorecard-shell:1";

function shell(script: string, more: object = {}): object {
  return { image, entrypoint: ["/bin/sh", "-c", script], ...more };
}

const passing = `test -s /bundle/metadata/annotations.yaml && echo "{\\"results\\":[{\\"name\\":\\"own\\",\\"state\\":\\"pass\\",\\"log\\":\\"in $SCORECARD_NAMESPACE\\"}]}"`;

describe("custom tests run as pods", { skip }, () => {
  let folder = "";
  let cluster: RealCluster;

  before(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "capstan-scorecard-")), "cache");
    await mkdir(folder);
    const store = await openStore(join(folder, "images"));
    const programs = await Promise.all(
      ["/bin/sh", "/bin/tar", "/bin/sleep"].map((path) => programEntries(path, { at: path })),
    );
    await store.tag(image, await buildImage({ platform: platformOf(process), layers: [programs.flat()] }, store));
    cluster = await startCluster({ pods: "real", images: store });
    await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig ?? "");
    await writeFile(join(folder, "package.json"), '{"name":"cache","version":"0.1.0"}');
    const made = await capstan(["bundle", "generate", "--entry", entry], { cwd: folder });
    assert.equal(made.code, 0, made.err);
  });
  after(async () => {
    await cluster.stop();
    await rm(dirname(folder), { recursive: true, force: true });
  });

  async function score(
    tests: readonly object[],
    ...more: readonly string[]
  ): Promise<{ code: number; out: string; err: string }> {
    const config = {
      apiVersion: "scorecard.operatorframework.io/v1alpha3",
      kind: "Configuration",
      stages: [{ parallel: true, tests }],
    };
    await writeFile(join(folder, "config.json"), JSON.stringify(config));
    return capstan(["scorecard", "bundle", "-c", "config.json", "--kubeconfig", join(folder, "kubeconfig"), ...more], {
      cwd: folder,
    });
  }

  test("the bundle is at /bundle, the output is the result, and nothing stays behind", async () => {
    const classic = {
      image: "quay.io/operator-framework/scorecard-test:v1",
      entrypoint: ["scorecard-test", "basic-check-spec"],
    };
    const { code, out, err } = await score([shell(passing), shell("echo nonsense"), classic], "-w", "3m", "-o", "json");
    assert.equal(code, 1, err);
    const { items } = JSON.parse(out) as {
      items: { status: { results: { name?: string; state: string; log?: string }[] } }[];
    };
    const [own, broken, here] = items.map(({ status }) => status.results[0]);
    assert.deepEqual([own?.name, own?.state, own?.log], ["own", "pass", "in default"]);
    assert.deepEqual([broken?.state, broken?.log], ["fail", "nonsense\n"]);
    assert.deepEqual([here?.name, here?.state], ["basic-check-spec", "pass"]);
    const where = { namespace: "default", labelSelector: "app=scorecard-test" };
    const left = async (): Promise<number> => {
      const pods = await Array.fromAsync(cluster.client.list(Pod, where));
      const maps = await Array.fromAsync(cluster.client.list(ConfigMap, where));
      return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length + maps.length;
    };
    assert.equal(await left(), 0);
  });

  test("files of a test are fetched", async () => {
    await mkdir(join(folder, "kept"), { recursive: true });
    const leaves = shell(
      `echo found > $SCORECARD_STORAGE/report && echo '{"results":[{"name":"files","state":"pass"}]}'`,
      {
        labels: { suite: "own", test: "files" },
        storage: { spec: { mountPath: { path: "/kept" } } },
      },
    );
    const { code, out, err } = await score([leaves], "-w", "3m", "-b", image, "-t", "kept");
    assert.equal(code, 0, out + err);
    assert.equal(await readFile(join(folder, "kept/own/files/report"), "utf8"), "found\n");
  });

  test("a test that does not end reports what its pod waited for", async () => {
    const { code, out } = await score([{ image: "capstan.test/nowhere:1" }], "-w", "8s");
    assert.equal(code, 1);
    assert.match(out, /did not end in time; its pod \S+ is Pending \(.*\); give it longer with --wait-time/);
  });
});

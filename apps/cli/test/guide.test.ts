/** Executes every page of the guide as written; the quickstart on a real Kubernetes, too. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildTestImages, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { loadArchive, openStore, saveArchive } from "@capstan/oci";
import { type GuideStep, readGuide } from "./guide.ts";
import { realKubectl } from "./kubectl.ts";
import { checkout, walk } from "./walk.ts";

const guides = readdirSync(join(checkout, "docs/guide"))
  // The page about databases has a test of its own, which is long.
  .filter((file) => file.endsWith(".md") && file !== "README.md" && file !== "databases.md")
  .map((file) => file.slice(0, -".md".length));

function stepsOf(guide: string): GuideStep[] {
  return readGuide(readFileSync(join(checkout, `docs/guide/${guide}.md`), "utf8"));
}

/** With CAPSTAN_RECORD=true, the session becomes a page of the documentation. */
async function record(name: string, session: string): Promise<void> {
  if (process.env["CAPSTAN_RECORD"] !== "true") return;
  await mkdir(join(checkout, "docs/sessions"), { recursive: true });
  await writeFile(join(checkout, `docs/sessions/${name}.txt`), session);
}

// Pages without commands have nothing to execute; the check compiles their examples.
for (const guide of guides.filter((each) => stepsOf(each).length > 0)) {
  const title = `every command and every file of the guide ${guide} works as written`;
  test(title, { skip: kubernetesMissing(), timeout: 600_000 }, async () => {
    const session = await walk(stepsOf(guide), { kubectl: await realKubectl() });
    if (guide === "quickstart") await record("quickstart-embedded", session);
  });
}

test("the program of the quickstart is examples/memcached", async () => {
  const example = await readFile(join(checkout, "examples/memcached/main.ts"), "utf8");
  const written = stepsOf("quickstart").find((step) => step.do === "write" && step.path === "src/memcached.ts");
  const plain = example.replace("meter, ", "").replace("operator, ", "");
  const [resourceAndController = ""] = plain.split("\n/** Servers are billable");
  assert.equal(written?.do === "write" && written.text, resourceAndController);
});

/** The images of the quickstart, built from this machine's memcached, under both names. */
async function quickstartImages(folder: string): Promise<string[]> {
  const [memcached] = await buildTestImages({ only: ["memcached"] });
  const store = await openStore(folder);
  const [name = ""] = await loadArchive(memcached?.archive ?? "", store);
  const found = (await store.find(name)) ?? assert.fail(`there is no ${name}`);
  return Promise.all(
    ["1.6", "1.6-alpine"].map(async (tag) => {
      const archive = join(folder, `${tag}.tar`);
      await store.tag(`capstan.test/memcached:${tag}`, found);
      await saveArchive(`capstan.test/memcached:${tag}`, store, archive);
      return archive;
    }),
  );
}

const here = (text: string): string => text.replaceAll("memcached:1.6", "capstan.test/memcached:1.6");

/** The same step on an existing cluster; its image comes from this machine. */
function onCluster(step: GuideStep): GuideStep {
  switch (step.do) {
    case "run-beside":
      return { ...step, commands: step.commands.replace("capstan dev", 'capstan dev --kubeconfig "$KUBECONFIG"') };
    case "run":
      return { ...step, commands: here(step.commands.replace("export KUBECONFIG=$PWD/.capstan/kubeconfig\n", "")) };
    case "write":
      return { ...step, text: here(step.text) };
    case "expect":
      return step;
  }
}

test(
  "the quickstart works on Kubernetes, too",
  { skip: kubernetesMissing({ node: true }), timeout: 600_000 },
  async (t) => {
    const cluster = await useKubernetes(t, { node: true, own: true });
    const folder = await mkdtemp(join(tmpdir(), "capstan-quickstart-images-"));
    t.after(() => rm(folder, { recursive: true }));
    await cluster.load(await quickstartImages(folder));
    const steps = stepsOf("quickstart").map(onCluster);
    const session = await walk(steps, { kubectl: await realKubectl(), env: { KUBECONFIG: cluster.kubeconfig } });
    await record("quickstart-kubernetes", session);
  },
);

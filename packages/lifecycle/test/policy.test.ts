/** Approval policies of Subscriptions on the embedded cluster, in virtual time. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret } from "@capstan/kinds/v1";
import { type ClusterServiceVersion, Subscription } from "@capstan/lifecycle";
import { oneChannel, operatorCrd, operatorCsv } from "./content.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
// A Friday; every test moves the time forward.
let now = Date.parse("2031-01-03T12:00:00Z");
const began = Date.now();
/** What the other cluster runs, by its kubeconfig. */
const others = new Map<string, string>();

before(async () => {
  world = await startWorld({
    ahead: () => now - began,
    connect: async (kubeconfig) => {
      const version = others.get(kubeconfig);
      if (version === undefined) throw new Error("the other cluster does not answer");
      const status = { installedCSV: `after.v${version}`, lastUpdated: "" };
      const csv = { spec: { version }, status: { phase: "Succeeded", lastTransitionTime: "2031-01-03T12:00:00Z" } };
      const get = async (kind: { readonly kind: string }) => (kind.kind === "Subscription" ? { status } : csv);
      return { cluster: { get: get as never }, [Symbol.asyncDispose]: async () => undefined };
    },
  });
});
after(() => world[Symbol.asyncDispose]());

type Rules = { readonly [rule: string]: string };

const annotate = (name: string, rules: Rules): Promise<unknown> => {
  const annotations = Object.fromEntries(
    Object.entries(rules).map(([rule, text]) => [`lifecycle.capstan.dev/${rule}`, text]),
  );
  return world.cluster.apply(Subscription, { metadata: { name, namespace: name, annotations } } as never, "test");
};

/** A chain of versions, the last one as the head. */
function publish(name: string, ...versions: readonly string[]): Promise<void> {
  const csvs = versions.map((version, at) => {
    const before = versions[at - 1];
    return operatorCsv({ name, version, ...(before === undefined ? {} : { replaces: `${name}.v${before}` }) });
  });
  return world.catalog(oneChannel(`${name}.v${versions.at(-1) ?? ""}`, csvs, [operatorCrd(name)]), name);
}

async function installFirst(name: string, rules: Rules): Promise<void> {
  await world.namespace(name);
  await publish(name, "1.0.0");
  await world.subscribe(name, { name, source: name, installPlanApproval: "Manual" });
  await annotate(name, rules);
  // The first installation is what a user asks for, so the policy does not hold it.
  await world.succeeded(name, `${name}.v1.0.0`);
}

const held = (name: string, message: RegExp): Promise<Subscription | undefined> =>
  world.until(
    `${name} is held: ${message.source}`,
    () => world.subscription(name, name),
    (seen) => message.test(seen?.status?.conditions?.find(({ type }) => type === "UpgradeHeld")?.message ?? ""),
  );

const succeeded = (name: string, version: string): Promise<ClusterServiceVersion | undefined> =>
  world.succeeded(name, `${name}.v${version}`);

test("patches install themselves, another minor version waits for a user", async () => {
  await installFirst("patch", { "approve-versions": "patch" });
  await publish("patch", "1.0.0", "1.0.1", "1.1.0", "1.1.1");
  await succeeded("patch", "1.0.1");
  await held("patch", /^patch\.v1\.1\.1 is not a patch of 1\.0\.1; patch\.v1\.1\.0 is not a patch of 1\.0\.1\. /u);
  assert.equal(await world.csv("patch", "patch.v1.1.0"), undefined);
  await annotate("patch", { "approve-versions": "patch", "approved-version": "patch.v1.1.0" });
  // After the approved version, its patches follow by themselves.
  await succeeded("patch", "1.1.1");
  const after = await world.until(
    "nothing is held",
    () => world.subscription("patch", "patch"),
    (seen) => seen?.status?.conditions?.some(({ type }) => type === "UpgradeHeld") === false,
  );
  assert.equal(after?.status?.installedCSV, "patch.v1.1.1");
  // Each of them was a plan that the policy approved.
  const plans = await world.plans("patch");
  assert.ok(plans.every(({ spec }) => spec.approved));
});

test("an upgrade waits for its maintenance window", async () => {
  await installFirst("window", { "approve-window": "Sat 02:00-06:00 Europe/Berlin" });
  await publish("window", "1.0.0", "1.0.1");
  await held("window", /window\.v1\.0\.1 waits for the window .*opens at 2031-01-04T01:00:00Z/u);
  assert.equal(await world.csv("window", "window.v1.0.1"), undefined);
  now = Date.parse("2031-01-04T02:00:00Z");
  await annotate("window", { "approve-window": "Sat 02:00-06:00 Europe/Berlin", look: "again" });
  await succeeded("window", "1.0.1");
});

test("a version waits until it has been in the catalog long enough", async () => {
  await installFirst("age", { "approve-min-age": "7d" });
  await publish("age", "1.0.0", "1.0.1");
  await held("age", /age\.v1\.0\.1 has to be in the catalog until /u);
  await world.until(
    "the time is recorded",
    () => world.subscription("age", "age"),
    (seen) => /"age\.v1\.0\.1":"2031-/u.test(seen?.metadata.annotations?.["lifecycle.capstan.dev/first-seen"] ?? ""),
  );
  assert.equal(await world.csv("age", "age.v1.0.1"), undefined);
  now += 7 * 86_400_000;
  await annotate("age", { "approve-min-age": "7d", look: "again" });
  await succeeded("age", "1.0.1");
});

test("a version waits until another cluster runs it, and a bad policy holds all", async () => {
  await installFirst("after", { "approve-versions": "some" });
  await publish("after", "1.0.0", "1.0.1", "1.0.2");
  await held("after", /approve-versions must be one of .*until then nothing is upgraded/u);
  await annotate("after", { "approve-after-cluster": "staging", "approve-after-soak": "1h" });
  await held("after", /the Secret staging does not exist/u);
  const metadata = { name: "staging", namespace: "after" };
  const data = { kubeconfig: Buffer.from("staging").toString("base64") };
  await world.cluster.create(Secret, { metadata, data });
  await held("after", /the other cluster does not answer/u);
  others.set("staging", "1.0.1");
  await annotate("after", { "approve-after-cluster": "staging", "approve-after-soak": "1h", look: "again" });
  await succeeded("after", "1.0.1");
  await held("after", /after\.v1\.0\.2 waits for the other cluster, which runs after\.v1\.0\.1/u);
});

/** An operator's own settings: declared once, and read in reconciles. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { controller, defineResource, operator, s } from "capstan";
import { ConfigMap } from "capstan/kinds/v1";
import { testOperator } from "capstan/testing";

const Settings = s.object({
  registryUrl: s.string().format("uri").default("https://registry.example.com").describe("where sites are registered"),
  token: s.string().format("password").min(8).optional().describe("the token for it"),
  retries: s.int32().min(0).max(10).default(3),
  dryRun: s.boolean().default(false),
  zones: s.array(s.string()).default([]),
});

const Site = defineResource({ group: "example.com", version: "v1", kind: "Site", spec: s.object({}) });

const site = controller(Site, { owns: [ConfigMap] }, async ({ object, apply, settings }) => {
  const { registryUrl, retries, dryRun, zones, token } = settings(Settings);
  const data = { registryUrl, retries: retries.toFixed(0), dryRun: String(dryRun), zones: zones.join(" ") };
  await apply(ConfigMap, object.metadata.name, { data: { ...data, hasToken: String(token !== undefined) } });
});

const app = operator({ name: "sites", controllers: [site], settings: Settings });

test("a reconcile reads settings with their defaults, and those that a test gives", async () => {
  const dataWith = async (settings: object): Promise<unknown> => {
    await using world = await testOperator(app, { settings });
    await world.apply(Site, "a", { spec: {} });
    await world.settle();
    return (await world.get(ConfigMap, "a"))?.data;
  };
  const usual = { registryUrl: "https://registry.example.com", retries: "3", dryRun: "false", zones: "" };
  assert.deepEqual(await dataWith({}), { ...usual, hasToken: "false" });
  const given = { retries: 5, dryRun: true, zones: ["a", "b"], token: "a long secret" };
  assert.deepEqual(await dataWith(given), { ...usual, retries: "5", dryRun: "true", zones: "a b", hasToken: "true" });
});

test("settings of another schema than the operator's are refused", async () => {
  const wrong = controller(Site, {}, ({ settings }) => void settings(s.object({ registryUrl: s.string() })));
  const other = operator({ name: "sites", controllers: [wrong], settings: Settings });
  await using world = await testOperator(other, { failures: "expected" });
  await world.apply(Site, "a", { spec: {} });
  await world.settle();
  assert.match(world.failures[0]?.message ?? "", /a schema that the operator does not declare/u);
});

test("a setting that cannot be a flag is refused where the operator is defined", () => {
  const declare = (settings: Parameters<typeof operator>[0]["settings"]) => () =>
    operator({ name: "sites", controllers: [site], ...(settings === undefined ? {} : { settings }) });
  assert.throws(declare(s.object({ logLevel: s.string() })), /would be --log-level, which every operator has/u);
  assert.throws(declare(s.object({ Registry: s.string() })), /is no name for a setting: write it in camelCase/u);
  assert.throws(declare(s.object({ registry: s.object({ url: s.string() }) })), /must be a text, a number, a boolean/u);
});

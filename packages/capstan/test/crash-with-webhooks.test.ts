/** Crashes are found in operators with webhooks and Secrets, too: random keys of certificates are no difference. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { controller, defineResource, operator, s } from "capstan";
import { Secret } from "capstan/kinds/v1";
import { crashEverywhere } from "capstan/testing";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: s.object({ html: s.string() }),
  validate: ({ object, reject }) => {
    if (object.spec.html === "") reject("spec.html", "is empty");
  },
});

const site = controller(Site, { owns: [Secret] }, async ({ object, apply }) => {
  await apply(Secret, object.metadata.name, { stringData: { html: object.spec.html } });
});

const app = operator({ name: "sites", controllers: [site] });

test("an operator that owns Secrets and has a webhook survives crashes everywhere", async () => {
  const { crashes } = await crashEverywhere(app, async (world) => {
    await world.apply(Site, "blog", { spec: { html: "hello" } });
    await world.settle();
    assert.equal((await world.get(Secret, "blog"))?.metadata.name, "blog");
  });
  assert.ok(crashes > 0);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { s } from "@capstan/schema";
import { formatHelp, readSettings } from "./settings.ts";

const schema = s.object({
  registryUrl: s.string().format("uri").describe("where sites are registered"),
  token: s.string().format("password").min(8).optional(),
  retries: s.int32().max(10).default(3),
  dryRun: s.boolean().default(false),
  zones: s.array(s.string()).default([]),
});

const read = async (
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
  file = "{}",
): Promise<object | undefined> => {
  const settings = await readSettings({ args, env, readFile: () => Promise.resolve(file), schema });
  return settings.own?.values;
};

const url = "--registry-url=https://example.com";

test("own settings come from a file, the environment and flags, with their types", async () => {
  const registryUrl = "https://example.com";
  assert.deepEqual(await read([url]), { registryUrl, retries: 3, dryRun: false, zones: [] });
  const file = JSON.stringify({ retries: 1, zones: ["a", "b"], "dry-run": true, "log-level": "debug" });
  assert.deepEqual(await read([url, "--config=f"], {}, file), {
    registryUrl,
    retries: 1,
    dryRun: true,
    zones: ["a", "b"],
  });
  assert.deepEqual(await read([url, "--config=f"], { CAPSTAN_RETRIES: "2", CAPSTAN_ZONES: "" }, file), {
    registryUrl,
    retries: 2,
    dryRun: true,
    zones: [],
  });
  const flags = ["--retries", "4", "--dry-run", "--log-level=warn"];
  assert.deepEqual(await read([url, ...flags], { CAPSTAN_RETRIES: "2" }), {
    registryUrl,
    retries: 4,
    dryRun: true,
    zones: [],
  });
});

test("an invalid or missing setting is named with its flag and its variable", async () => {
  await assert.rejects(read([]), {
    message: "Cannot start: the setting registry-url is missing. Set --registry-url or CAPSTAN_REGISTRY_URL.",
  });
  await assert.rejects(
    read([url], { CAPSTAN_RETRIES: "11" }),
    /^RuntimeError: Cannot use the setting retries: .*10.* Set --retries or CAPSTAN_RETRIES\.$/u,
  );
  await assert.rejects(read([url, "--retries=many"]), /Cannot use the setting retries: /u);
  await assert.rejects(read([url, "--dry-run=perhaps"]), /Cannot use the setting dry-run: /u);
  await assert.rejects(
    read([url, "--registry=x"]),
    /There is no setting "registry"\. Choose one of registry-url, token, /u,
  );
});

test("the value of a secret is in no error", async () => {
  await assert.rejects(read([url], { CAPSTAN_TOKEN: "short" }), {
    message: "Cannot use the setting token: it is invalid. Set --token or CAPSTAN_TOKEN.",
  });
});

test("the help lists own settings first", () => {
  const help = formatHelp("sites", schema);
  assert.match(help, /^Settings of sites:\n {2}--registry-url +where sites are registered; required\n/mu);
  assert.match(help, /^ {2}--token +secret: prefer CAPSTAN_TOKEN\n {2}--retries +3 by default$/mu);
  assert.match(help, /^Settings of every operator:\n {2}--config /mu);
  assert.doesNotMatch(formatHelp("sites"), /^Settings of/mu);
});

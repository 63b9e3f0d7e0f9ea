import assert from "node:assert/strict";
import { test } from "node:test";
import { planChange } from "./change.ts";
import { addApi, addWebhooks, removeApi } from "./edit.ts";
import { type ApiInputs, formatInputs, type Inputs, parseInputs } from "./inputs.ts";
import { wordsOf } from "./names.ts";
import { currentTemplates, renderProject } from "./render.ts";

const api: ApiInputs = {
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  scope: "Namespaced",
  origin: "new",
  controllers: [""],
};
const project: Inputs = {
  templates: 1,
  name: "memcached-operator",
  domain: "example.com",
  capstan: "0.1.0",
  namespaced: false,
  apis: [api],
};
const redis: ApiInputs = { ...api, kind: "Redis" };

test("a project with one kind has thirteen files", () => {
  assert.equal(renderProject({ ...project, templates: currentTemplates }).size, 13);
});

test("inputs survive being recorded", () => {
  const full = addWebhooks(
    { ...project, header: "// Ours" },
    { kind: "memcached" },
    { validating: true, conversion: "v1" },
  );
  assert.deepEqual(parseInputs(formatInputs(full)), full);
});

test("names have the forms that each place wants", () => {
  assert.deepEqual(wordsOf("AppService"), {
    kind: "AppService",
    value: "appService",
    file: "app-service",
    lower: "appservice",
    plural: "appservices",
  });
  assert.equal(wordsOf("HTTPProxy").file, "http-proxy");
  assert.equal(wordsOf("Proxy").plural, "proxies");
  assert.equal(wordsOf("Operator").value, "operatorController");
});

for (const [what, change] of [
  ["a group with capitals", { apis: [{ ...api, group: "Cache.example.com" }] }],
  ["a group without a dot", { apis: [{ ...api, group: "cache" }] }],
  ["a kind in lower case", { apis: [{ ...api, kind: "memcached" }] }],
  ["a version that is none", { apis: [{ ...api, version: "1.0" }] }],
  ["a project name with spaces", { name: "my operator" }],
  ["a path as the domain", { domain: "../.." }],
] as const) {
  test(`${what} is refused`, () => {
    assert.throws(() => parseInputs(JSON.stringify({ ...project, ...change })), {
      name: "ScaffoldError",
      code: "BadName",
    });
  });
}

test("inputs that are no project are refused with what to do", () => {
  for (const text of [
    "",
    "{",
    "[]",
    "null",
    '{"apis":[]}',
    '{"apis":[3],"templates":1,"name":"a","domain":"b.c","capstan":"1"}',
  ]) {
    assert.throws(() => parseInputs(text), { code: "BadFile", message: /restore it from version control/ }, text);
  }
});

test("a second kind adds its lines to a main file that the user has changed", () => {
  const base = renderProject(project);
  const next = renderProject(addApi(project, redis));
  const mine = (base.get("src/main.ts") ?? "")
    .replace(
      'import { operator } from "capstan";\n',
      'import { operator } from "capstan";\nimport { mine } from "./mine.ts";\n',
    )
    .replace("    memcached,\n", "    memcached,\n    mine,\n");
  const changes = planChange({ base, next, disk: new Map([...base, ["src/main.ts", mine]]) }, "keep-both");
  const main = changes.find(({ path }) => path === "src/main.ts");
  assert.ok(main !== undefined && main.action === "update");
  for (const line of ["./mine.ts", "./redis.ts", "    mine,\n", "    redis,\n"])
    assert.ok(main.text.includes(line), main.text);
});

test("an existing kind is not added again, but a second controller is", () => {
  assert.throws(() => addApi(project, api), { code: "Duplicate" });
  const two = addApi(project, { ...api, controllers: ["backup"] });
  const files = renderProject(two);
  assert.match(
    files.get("src/memcached-backup.ts") ?? "",
    /memcachedBackup = controller\(Memcached, \{ name: "backup" \}/,
  );
  assert.match(files.get("src/main.ts") ?? "", /memcachedBackup,/);
});

test("another version of a kind needs a conversion, and the error says so", () => {
  const newer = { ...api, version: "v1beta1" };
  const help = /add version v1beta1 to it with capstan create webhook --kind Memcached --conversion v1beta1/;
  assert.throws(() => addApi(project, newer), { code: "Duplicate", message: help });
  assert.throws(() => addApi(project, { ...newer, controllers: ["backup"] }), { code: "Duplicate", message: help });
  const converted = addWebhooks(project, { kind: "Memcached" }, { conversion: "v1beta1" });
  assert.throws(() => addApi(converted, newer), { message: /has version v1beta1 already, converted from v1alpha1/ });
  assert.throws(() => addApi(converted, { ...api, version: "v2" }), {
    message: /converted to v1beta1; add version v2 by hand/,
  });
});

test("the same kind in two groups gets separate files and values", () => {
  const files = renderProject(addApi(project, { ...api, group: "other.example.com" }));
  assert.ok(files.has("src/memcached.ts") && files.has("src/memcached-other.ts"));
  assert.match(files.get("src/main.ts") ?? "", /import \{ memcachedOther \} from "\.\/memcached-other\.ts"/);
});

test("deleted kinds are removed, except files that the user changed", () => {
  const two = addApi(project, redis);
  const base = renderProject(two);
  const next = renderProject(removeApi(two, { kind: "Redis" }));
  const disk = new Map([...base, ["src/redis.ts", `${base.get("src/redis.ts")}// mine\n`]]);
  const actions = new Map(planChange({ base, next, disk }).map(({ path, action }) => [path, action]));
  assert.equal(actions.get("src/redis.ts"), "leave");
  assert.equal(actions.get("src/redis.test.ts"), "delete");
  assert.equal(actions.get("src/main.ts"), "update");
});

test("a file that the user deleted does not come back", () => {
  const base = renderProject(project);
  const next = new Map([...base, ["AGENTS.md", "new words\n"]]);
  const disk = new Map([...base].filter(([path]) => path !== "AGENTS.md"));
  assert.deepEqual(planChange({ base, next, disk }), [{ path: "AGENTS.md", action: "leave", why: "you deleted it" }]);
});

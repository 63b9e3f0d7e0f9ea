import assert from "node:assert/strict";
import { test } from "node:test";
import { addApi, addWebhooks, removeApi } from "./edit.ts";
import { planChange } from "./change.ts";
import { type ApiInputs, type Inputs, parseInputs } from "./inputs.ts";
import { renameApi } from "./rename.ts";
import { type Files, renderProject } from "./render.ts";

const api: ApiInputs = {
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  scope: "Namespaced",
  origin: "new",
  controllers: [""],
};
const projectOf = (...apis: ApiInputs[]): Inputs => ({
  templates: 2,
  name: "memcached-operator",
  domain: "example.com",
  capstan: "0.1.0",
  namespaced: false,
  apis,
});

/** The files after a rename. */
function renamed(inputs: Inputs, kind: string, to: { kind?: string; group?: string }, mine: Files = new Map()): Files {
  const disk = new Map([...renderProject(inputs), ...mine]);
  for (const change of renameApi(inputs, { kind, group: inputs.apis[0]?.group }, { to, disk: new Map(disk) })) {
    if (change.action === "delete") disk.delete(change.path);
    else if (change.action !== "leave") disk.set(change.path, change.text);
    assert.notEqual(change.action, "conflict", change.path);
  }
  return disk;
}

const inputsOf = (files: Files): Inputs => parseInputs(files.get("capstan.json") ?? "");
const byPath = (files: Files): unknown => Object.fromEntries(files);

for (const [from, to] of [
  ["Memcached", "Cache"],
  ["Image", "Picture"],
  ["Test", "Probe"],
  ["App", "Program"],
  ["Name", "Title"],
  ["Command", "Order"],
  ["Operator", "Worker"],
  ["Status", "State"],
  ["Cache", "Test"],
] as const) {
  test(`renaming ${from} to ${to} equals a project made for ${to}`, () => {
    for (const image of [undefined, { image: "redis:8", port: 6379 }]) {
      const shape = image === undefined ? {} : { image };
      const plain = projectOf({ ...api, ...shape, kind: from });
      const full = addApi(
        addWebhooks(plain, { kind: from }, { validating: true, defaulting: true, validatingPath: "/check" }),
        { ...api, kind: from, controllers: ["backup"] },
      );
      for (const inputs of [plain, full]) {
        const files = renamed(inputs, from, { kind: to });
        assert.equal(inputsOf(files).apis[0]?.kind, to);
        assert.deepEqual(byPath(files), byPath(renderProject(inputsOf(files))));
      }
    }
  });
}

test("moving a kind to another group leaves its neighbours where they are", () => {
  const files = renamed(projectOf(api, { ...api, kind: "Redis" }), "Memcached", { group: "web.example.com" });
  assert.match(files.get("src/redis.ts") ?? "", /group: "cache\.example\.com"/);
  assert.deepEqual(byPath(files), byPath(renderProject(inputsOf(files))));
});

test("a kind of the same name in another group keeps its name and takes the free file", () => {
  const files = renamed(projectOf(api, { ...api, group: "other.example.com" }), "Memcached", { kind: "Cache" });
  assert.deepEqual(byPath(files), byPath(renderProject(inputsOf(files))));
  assert.match(files.get("src/memcached.ts") ?? "", /group: "other\.example\.com"/);
});

/** What one file of a person's becomes. */
function mineAfter(path: string, text: string, [from, to]: readonly [string, string] = ["Image", "Picture"]): string {
  const files = renamed(projectOf({ ...api, kind: from }), from, { kind: to }, new Map([[path, text]]));
  return files.get(path) ?? assert.fail(`${path} is gone`);
}

for (const [what, before, after] of [
  [
    "names of the kind, and no word that looks like it",
    'import { Image, image } from "./image.ts";\n// Image: image of images.cache.example.com.\nconst ImageLike = Image; const x = { Image: 1, image: y.image, text: "Image image" };\nrun(image, `image ${image} ${Image.kind}`);\n',
    'import { Picture, picture } from "./picture.ts";\n// Image: image of pictures.cache.example.com.\nconst ImageLike = Picture; const x = { Image: 1, image: y.image, text: "Image image" };\nrun(picture, `image ${picture} ${Picture.kind}`);\n',
  ],
  [
    "short forms of objects and patterns",
    'import { image } from "./image.ts";\nexport const all = { image };\nconst { image: own = 3 } = all;\nfor (const { image } of list) use({ a, image, b });\n',
    'import { picture } from "./picture.ts";\nexport const all = { image: picture };\nconst { image: own = 3 } = all;\nfor (const { image: picture } of list) use({ a, image: picture, b });\n',
  ],
  [
    "parameters, types and choices",
    'import { type Image, image } from "./image.ts";\nconst f = (image: string, g?: ObjectOf<typeof Image>) => (image === "x" ? image : g?.image);\ninterface A { readonly image: string; Image?: typeof Image }\n',
    'import { type Picture, picture } from "./picture.ts";\nconst f = (picture: string, g?: ObjectOf<typeof Picture>) => (picture === "x" ? picture : g?.image);\ninterface A { readonly image: string; Image?: typeof Picture }\n',
  ],
  [
    "an alias where the new name is taken",
    'import { Image, image as own } from "./image.ts";\nconst Picture = 3;\nuse(Image, own);\n',
    'import { Picture as Image, picture as own } from "./picture.ts";\nconst Picture = 3;\nuse(Image, own);\n',
  ],
  [
    "an alias where it cannot be told what a name means",
    'import { image } from "./image.ts";\nclass A {\n  image() {\n    return image;\n  }\n}\n',
    'import { picture as image } from "./picture.ts";\nclass A {\n  image() {\n    return image;\n  }\n}\n',
  ],
  [
    "what a file hands on, under the name that it had",
    'export { Image } from "./image.ts";\nexport { Image as Own } from "./image.js";\n',
    'export { Picture as Image } from "./picture.ts";\nexport { Picture as Own } from "./picture.js";\n',
  ],
  [
    "nothing of somebody else's module",
    'import { Image, image } from "./pictures/image.ts";\nimport test from "image";\nuse(Image, image, /image"/, test);\n',
    'import { Image, image } from "./pictures/image.ts";\nimport test from "image";\nuse(Image, image, /image"/, test);\n',
  ],
  [
    "objects and paths as texts",
    'apply({ apiVersion: "cache.example.com/v1", kind: "Image" }, { apiVersion: "v1", kind: "Image" });\nread("samples/image.yaml", "../samples/image.yaml");\n',
    'apply({ apiVersion: "cache.example.com/v1", kind: "Picture" }, { apiVersion: "v1", kind: "Image" });\nread("samples/picture.yaml", "../samples/picture.yaml");\n',
  ],
] as const) {
  test(`in a source of a person's, a rename changes ${what}`, () =>
    assert.equal(mineAfter("src/mine.ts", before), after));
}

test("in other texts, only objects of the kind, its CRD and its files change", () => {
  const yaml =
    "apiVersion: cache.example.com/v1alpha1\nkind: Image\nspec:\n  image: image:1\n---\nkind: Image\napiVersion: v1\n";
  assert.equal(mineAfter("more.yaml", yaml), yaml.replace("kind: Image", "kind: Picture"));
  const words = "Image, image and images; images.cache.example.com, src/image.ts, ./samples/image.yaml and --image.\n";
  assert.equal(
    mineAfter("notes.md", words),
    "Image, image and images; pictures.cache.example.com, src/picture.ts, ./samples/picture.yaml and --image.\n",
  );
});

test("the kind's own files keep what people wrote in them", () => {
  const inputs = projectOf({ ...api, kind: "Image" });
  const source = (renderProject(inputs).get("src/image.ts") ?? "")
    .replace("owns: [Pod]", "owns: [Pod, Image]")
    .replace(
      "const { name } = object.metadata;",
      "const { name } = object.metadata;\n  const { image } = object.spec;",
    );
  const files = renamed(
    inputs,
    "Image",
    { kind: "Picture", group: "web.example.com" },
    new Map([["src/image.ts", source]]),
  );
  const now = files.get("src/picture.ts") ?? "";
  assert.match(
    now,
    /export const Picture = defineResource\(\{\n {2}group: "web\.example\.com",\n {2}version: "v1alpha1",\n {2}kind: "Picture",/,
  );
  assert.match(now, /export const picture = controller\(Picture, \{ owns: \[Pod, Picture\] \}/);
  assert.match(now, /const \{ image: picture \} = object\.spec;/);
  assert.match(now, / {10}image: object\.spec\.image,/);
  assert.match(now, /columns: \{ Image: "spec\.image"/);
  assert.match(now, /"web\.example\.com\/name": name/);
});

test("files left by a rename belong to the tool and are deleted with the kind", () => {
  const disk = renamed(projectOf(api), "Memcached", { kind: "Cache" });
  const inputs = inputsOf(disk);
  const next = renderProject(removeApi(inputs, { kind: "Cache" }));
  const changes = planChange({ base: renderProject(inputs), next, disk });
  assert.deepEqual(
    changes.filter(({ action }) => action === "leave"),
    [],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Candidate, manifestProblems } from "./manifest-problems.ts";

const good: Candidate = {
  folder: "packages/one",
  manifest: {
    name: "@capstan/one",
    version: "0.1.0",
    description: "One.",
    keywords: ["one"],
    homepage: "https://example.com",
    bugs: "https://example.com/issues",
    license: "Apache-2.0",
    repository: { url: "git+https://example.com/one.git", directory: "packages/one" },
    engines: { node: ">=22.18" },
    exports: {
      ".": { "@capstan/source": "./src/index.ts", default: "./dist/index.js" },
      "./kinds/*": { default: "./dist/kinds/*.js" },
    },
    scripts: { prepack: "node build" },
    publishConfig: { access: "public" },
    dependencies: { yaml: "2.9.1" },
  },
  files: ["README.md", "LICENSE", "package.json", "dist/index.js", "dist/kinds/apps/v1.js"],
};

function problemsOf(changes: Partial<Candidate["manifest"]>, files = good.files): readonly string[] {
  return manifestProblems([{ ...good, manifest: { ...good.manifest, ...changes }, files }]);
}

test("a complete package has no problem", () => assert.deepEqual(manifestProblems([good]), []));

test("a tarball without a build, with a test or without its README is refused", () => {
  assert.deepEqual(problemsOf({}, ["LICENSE", "dist/kinds/v1.js", "src/one.test.ts"]), [
    "packages/one: README.md is not in the tarball",
    "packages/one: dist/index.js is not in the tarball",
    "packages/one: src/one.test.ts is a test",
  ]);
});

test("a scoped package must say that it is public", () => {
  assert.deepEqual(problemsOf({ publishConfig: {} }), ["packages/one: publishConfig.access must be public"]);
});

test("dependencies are pinned, published, and released together", () => {
  const two = { ...good, folder: "packages/two" };
  const manifest = {
    ...good.manifest,
    name: "@capstan/two",
    repository: { directory: "packages/two" },
    dependencies: { "@capstan/one": "0.2.0", "@capstan/none": "0.1.0", yaml: "^2.0.0" },
  };
  assert.deepEqual(manifestProblems([good, { ...two, manifest }]), [
    "packages/two: @capstan/one is released as 0.1.0, not as 0.2.0",
    "packages/two: the dependency @capstan/none is not published",
    "packages/two: the dependency yaml is not pinned: ^2.0.0",
  ]);
});

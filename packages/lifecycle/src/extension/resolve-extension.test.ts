/** Tests of the resolution of ClusterExtensions: ranges, channels, successors, deprecations, priorities, messages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseVersion, type Catalog } from "@capstan/bundle";
import { catalogOf, type EntrySpec } from "../../test/catalogs.ts";
import {
  resolveExtension,
  type ExtensionRequest,
  type InstalledBundle,
  type SelectedCatalog,
} from "./resolve-extension.ts";
import { readVersionRange } from "./version-range.ts";

const versions: EntrySpec[] = [
  { name: "a.v1", version: "1.0.0" },
  { name: "a.v1.1", version: "1.1.0", replaces: "a.v1" },
  { name: "a.v2", version: "2.0.0", replaces: "a.v1.1", skipRange: ">=1.0.0 <1.1.0" },
  { name: "a.v3", version: "3.0.0", replaces: "a.v2" },
];

function ready(name: string, catalog: Catalog, priority = 0): SelectedCatalog {
  return { name, priority, state: "ready", catalog };
}

function answer(
  request: Partial<ExtensionRequest>,
  catalogs: readonly SelectedCatalog[],
  installed?: InstalledBundle,
): string {
  const result = resolveExtension({ package: "a", ...request }, catalogs, installed);
  return result.type === "resolved" ? `${result.catalog}/${result.bundle.name}` : result.message;
}

const one = [ready("cat", catalogOf({ a: { stable: versions, old: versions.slice(0, 2) } }))];

test("the highest version in the range and the channels wins", () => {
  assert.equal(answer({}, one), "cat/a.v3");
  assert.equal(answer({ version: "1.x" }, one), "cat/a.v1.1");
  assert.equal(answer({ channels: ["old"] }, one), "cat/a.v1.1");
  assert.equal(
    answer({ version: "9.0.0", channels: ["old", "stable"] }, one),
    'no bundles found for package "a" matching version "9.0.0" in channels [old stable]',
  );
});

test("successors and the installed version are accepted, unless self-certified", () => {
  const installed = { name: "a.v1", version: "1.0.0" };
  assert.equal(answer({}, one, installed), "cat/a.v2");
  assert.equal(answer({ version: "<1.1.0" }, one, installed), "cat/a.v1");
  assert.equal(answer({}, one, { name: "a.v3", version: "3.0.0" }), "cat/a.v3");
  assert.equal(
    answer({ version: "1.0.0" }, one, { name: "a.v2", version: "2.0.0" }),
    'error upgrading from currently installed version "2.0.0": no bundles found for package "a" matching version "1.0.0"',
  );
  const forced = { version: "1.0.0", upgradeConstraintPolicy: "SelfCertified" } as const;
  assert.equal(answer(forced, one, { name: "a.v2", version: "2.0.0" }), "cat/a.v1");
});

function deprecating(catalog: Catalog, name: string): Catalog {
  const packages = [...catalog.packages].map(([key, one]) => {
    const bundles = [...one.bundles].map(
      ([id, bundle]) => [id, id === name ? { ...bundle, deprecation: "old" } : bundle] as const,
    );
    return [key, { ...one, bundles: new Map(bundles) }] as const;
  });
  return { packages: new Map(packages) };
}

test("a deprecated bundle comes last, also between catalogs and before priorities", () => {
  const catalog = catalogOf({ a: { stable: versions } });
  assert.equal(answer({}, [ready("cat", deprecating(catalog, "a.v3"))]), "cat/a.v2");
  const low = ready("low", catalogOf({ a: { stable: versions.slice(0, 1) } }));
  const only = deprecating(catalogOf({ a: { stable: [{ name: "a.v9" }] } }), "a.v9");
  assert.equal(answer({}, [ready("high", only, 5), low]), "low/a.v1");
});

test("the highest priority wins, and equal ones are ambiguous", () => {
  const catalog = catalogOf({ a: { stable: versions } });
  assert.equal(answer({}, [ready("x", catalog), ready("y", catalog, 1)]), "y/a.v3");
  assert.equal(
    answer({}, [ready("y", catalog), ready("x", catalog)]),
    'found bundles for package "a" in multiple catalogs with the same priority [x y]',
  );
});

test("a requirement is rejected, and a broken catalog stops the resolution", () => {
  const properties = [{ type: "olm.gvk.required", value: {} }];
  const catalog = catalogOf({ a: { stable: [{ name: "a.v1", properties }] } });
  assert.match(
    answer({}, [ready("cat", catalog)]),
    /^validating bundle "a.v1": .* "olm.gvk.required" which is currently not supported$/,
  );
  const broken = { name: "bad", priority: 0, state: "failed", error: "gone" } as const;
  assert.equal(
    answer({}, [...one, broken]),
    'error walking catalogs: error getting package "a" from catalog "bad": gone',
  );
});

test("the release in the build metadata orders equal versions", () => {
  const catalog = catalogOf({
    a: {
      stable: [
        { name: "r10", version: "1.0.0+10" },
        { name: "r9", version: "1.0.0+9", replaces: "r10" },
      ],
    },
  });
  assert.equal(answer({}, [ready("cat", catalog)]), "cat/r10");
});

/** Recorded from Masterminds/semver 3.5.0: the versions that a range accepts. */
const recorded: Readonly<Record<string, string>> = {
  "": 'improper constraint: ""',
  " 1.2 ": "1.2.0 1.2.3 1.2.4 1.2.3+5",
  "!=*":
    "0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0 1.2.3+5",
  "!=1": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 2.0.0 2.1.0 3.0.0",
  "!=1.2": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0",
  "!=1.2.3": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0",
  "!=1.2.3-alpha":
    "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0 1.2.3-beta.2 2.0.0-rc.1 1.2.3+5",
  "*": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0 1.2.3+5",
  ",1": 'improper constraint: ",1"',
  "01.2.3": "1.2.3 1.2.3+5",
  "1": "1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  "1,": 'improper constraint: "1,"',
  "1,,2": 'improper constraint: "1,,2"',
  "1.0 - 2.0": "1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 1.2.3+5",
  "1.0 -2.0": 'improper constraint: "1.0 -2.0"',
  "1.0-2.0": "1.0.0 1.0.1",
  "1.2": "1.2.0 1.2.3 1.2.4 1.2.3+5",
  "1.2.3": "1.2.3 1.2.3+5",
  "1.2.3 - 1.9": "1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  "1.2.3+5": "1.2.3 1.2.3+5",
  "1.2.3-": 'improper constraint: "1.2.3-"',
  "1.2.3-alpha": "1.2.3-alpha",
  "1.2.3.4": 'improper constraint: "1.2.3.4"',
  "1.2.x": "1.2.0 1.2.3 1.2.4 1.2.3+5",
  "1.x": "1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  "1.x || 3.x": "1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 3.0.0 1.2.3+5",
  "1.x.3": "1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  "1|2": "constraint parser error",
  "<1": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0",
  "<1.2": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0",
  "<1||>2": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 3.0.0",
  "<=*": "0.0.0 0.0.3 0.0.4",
  "<=1": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  "<=1.2": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.2.3+5",
  "<=1.2.3": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.3+5",
  "=1.2": "1.2.0 1.2.3 1.2.4 1.2.3+5",
  "=<1.2": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.2.3+5",
  "=>1.2": "1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0 1.2.3+5",
  ">*": "0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0 1.2.3+5",
  ">1": "2.0.0 2.1.0 3.0.0",
  ">1.2": "1.3.0 1.9.9 2.0.0 2.1.0 3.0.0",
  ">1.2.3": "1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0",
  ">= 1.2 , < 1.3": "1.2.0 1.2.3 1.2.4 1.2.3+5",
  ">=1.0.0 <2.0.0": "1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  ">=1.0.0, <2.0.0": "1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  ">=1.0.0,<2.0.0": "1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  ">=1.2": "1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0 1.2.3+5",
  ">=1.2.3-alpha": "1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0 1.2.3-alpha 1.2.3-beta.2 2.0.0-rc.1 1.2.3+5",
  ">> 1": 'improper constraint: ">> 1"',
  "^*": "0.0.0",
  "^0": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0",
  "^0.0": "0.0.0 0.0.3 0.0.4",
  "^0.0.3": "0.0.3",
  "^0.2": "0.2.3 0.2.9",
  "^0.2.3": "0.2.3 0.2.9",
  "^1": "1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  "^1.2": "1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  "^1.2.3": "1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  "^1.2.3-0": "1.2.3 1.2.4 1.3.0 1.9.9 1.2.3-alpha 1.2.3-beta.2 1.2.3+5",
  abc: 'improper constraint: "abc"',
  "v1.2": "1.2.0 1.2.3 1.2.4 1.2.3+5",
  x: "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0 1.2.3+5",
  "~*": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0 1.2.3+5",
  "~0": "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0",
  "~0.0.0":
    "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.9 0.3.0 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.1.0 3.0.0 1.2.3+5",
  "~1": "1.0.0 1.0.1 1.1.0 1.2.0 1.2.3 1.2.4 1.3.0 1.9.9 1.2.3+5",
  "~1.2": "1.2.0 1.2.3 1.2.4 1.2.3+5",
  "~1.2.3": "1.2.3 1.2.4 1.2.3+5",
  "~1.2.3-beta": "1.2.3 1.2.4 1.2.3-beta.2 1.2.3+5",
  "~>1.2": "1.2.0 1.2.3 1.2.4 1.2.3+5",
};

const probes = [
  "0.0.0",
  "0.0.3",
  "0.0.4",
  "0.1.0",
  "0.2.3",
  "0.2.9",
  "0.3.0",
  "1.0.0",
  "1.0.1",
  "1.1.0",
  "1.2.0",
  "1.2.3",
  "1.2.4",
  "1.3.0",
  "1.9.9",
  "2.0.0",
  "2.1.0",
  "3.0.0",
  "1.2.3-alpha",
  "1.2.3-beta.2",
  "2.0.0-rc.1",
  "1.2.3+5",
];

test("ranges accept what the original accepts", () => {
  for (const [range, expected] of Object.entries(recorded)) {
    const reading = readVersionRange(range);
    if ("problem" in reading) {
      assert.equal(reading.problem, expected, range);
      continue;
    }
    const accepted = probes.filter((text) => {
      const version = parseVersion(text);
      return version !== undefined && reading.range(version);
    });
    assert.equal(accepted.join(" "), expected, range);
  }
});

/** Tests of templates; the expected channels are those of `opm alpha render-template`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@capstan/model";
import type { CatalogConfig } from "../config.ts";
import type { DescribedBundle } from "../describe-bundle.ts";
import { isTemplate, renderTemplate } from "./render.ts";

/** A bundle whose version is the tag of its image. */
async function bundle(image: string): Promise<DescribedBundle> {
  const version = image.slice(image.indexOf(":") + 1);
  const properties = [{ type: "olm.package", value: { packageName: "foo", version } }];
  const blob = {
    name: `foo.v${version}`,
    package: "foo",
    image,
    properties,
    readLarge: () => [],
    hasObjects: false,
    relatedImages: [],
  };
  return { blob, version, replaces: "", skips: [], skipRange: "", channels: [], defaultChannel: "", csv: {} };
}

function edges({ channels }: CatalogConfig): { [channel: string]: string[] } {
  return Object.fromEntries(
    channels.map(({ name, entries }) => [
      name,
      entries.map((entry) => [entry.name, entry.replaces ?? "-", ...entry.skips].join(" ")),
    ]),
  );
}

const images = (...versions: readonly string[]): Json => ({
  Bundles: versions.map((version) => ({ Image: `foo:${version}` })),
});

test("the semver template links minor channels and skips older patches", async () => {
  const template = { Schema: "olm.semver", Stable: images("1.0.0", "1.0.1", "1.1.0", "2.0.0") };
  const config = await renderTemplate(template, bundle);
  assert.deepEqual(edges(config), {
    "stable-v1.0": ["foo.v1.0.0 -", "foo.v1.0.1 - foo.v1.0.0"],
    "stable-v1.1": ["foo.v1.1.0 foo.v1.0.1 foo.v1.0.0"],
    "stable-v2.0": ["foo.v2.0.0 -"],
  });
  assert.equal(config.packages[0]?.defaultChannel, "stable-v2.0");
});

test("major channels have all minor versions; stability decides the default channel", async () => {
  const template = {
    schema: "olm.semver",
    generateMajorChannels: true,
    candidate: images("1.1.0", "1.0.0", "1.1.1"),
    fast: images("1.0.0"),
  };
  const config = await renderTemplate(template, bundle);
  assert.deepEqual(edges(config), {
    "candidate-v1": ["foo.v1.0.0 -", "foo.v1.1.0 -", "foo.v1.1.1 foo.v1.0.0 foo.v1.1.0"],
    "fast-v1": ["foo.v1.0.0 -"],
  });
  assert.equal(config.packages[0]?.defaultChannel, "fast-v1");
});

test("versions that differ in their builds only are rejected", async () => {
  const template = { schema: "olm.semver", stable: images("1.0.0+a", "1.0.0+b") };
  await assert.rejects(renderTemplate(template, bundle), { code: "BadTemplate", message: /only by build metadata/ });
});

test("a preference without its channels, an unknown key and no bundles are rejected", async () => {
  const stable = images("1.0.0");
  const wrong = { schema: "olm.semver", stable, defaultChannelTypePreference: "major" };
  await assert.rejects(renderTemplate(wrong, bundle), {
    message: /doesn't make sense if not generating major-version/,
  });
  await assert.rejects(renderTemplate({ schema: "olm.semver", stabel: stable }, bundle), {
    message: /unknown field "stabel"/,
  });
  await assert.rejects(renderTemplate({ schema: "olm.semver" }, bundle), { message: /no bundles specified/ });
});

test("the basic template reads the bundles that have only an image", async () => {
  const entries = [
    { schema: "olm.package", name: "foo", defaultChannel: "beta" },
    { schema: "olm.bundle", image: "foo:1.0.0" },
  ];
  const { bundles } = await renderTemplate({ schema: "olm.template.basic", entries }, bundle);
  assert.deepEqual(
    bundles.map(({ name }) => name),
    ["foo.v1.0.0"],
  );
  const full = {
    schema: "olm.template.basic",
    entries: [{ schema: "olm.bundle", image: "foo:1.0.0", package: "foo" }],
  };
  await assert.rejects(renderTemplate(full, bundle), { message: "unexpected fields present in basic template bundle" });
});

const substitutes = async (...substitutions: readonly Json[]): Promise<CatalogConfig> => {
  const blobs = await Promise.all(["1.0.0", "1.1.0", "1.2.0"].map((version) => bundle(`foo:${version}`)));
  const entries: Json[] = [
    { schema: "olm.package", name: "foo", defaultChannel: "beta" },
    {
      schema: "olm.channel",
      name: "beta",
      package: "foo",
      entries: [
        { name: "foo.v1.0.0" },
        { name: "foo.v1.1.0", replaces: "foo.v1.0.0" },
        { name: "foo.v1.2.0", replaces: "foo.v1.1.0" },
      ],
    },
    ...blobs.map(({ blob }) => ({
      schema: "olm.bundle",
      name: blob.name,
      package: "foo",
      image: blob.image,
      properties: [{ type: "olm.package", value: { packageName: "foo", version: blob.name.slice("foo.v".length) } }],
    })),
  ];
  return renderTemplate({ schema: "olm.template.substitutes", entries, substitutions: [...substitutions] }, bundle);
};

test("a substitute inherits the edges of its base, and edges to the base lead to it", async () => {
  assert.deepEqual(edges(await substitutes({ name: "foo:1.1.1", base: "foo.v1.1.0" })), {
    beta: ["foo.v1.0.0 -", "foo.v1.1.0 -", "foo.v1.2.0 foo.v1.1.1 foo.v1.1.0", "foo.v1.1.1 foo.v1.0.0 foo.v1.1.0"],
  });
});

test("a substitute must be higher than its base, and each base has one", async () => {
  await assert.rejects(substitutes({ name: "foo:1.0.5", base: "foo.v1.1.0" }), {
    message: /is not less than substitute/,
  });
  const twice = [
    { name: "foo:1.1.1", base: "foo.v1.1.0" },
    { name: "foo:1.1.2", base: "foo.v1.1.0" },
  ];
  await assert.rejects(substitutes(...twice), { message: /cannot reuse the same substitution base/ });
  await assert.rejects(substitutes({ name: "foo:2.0.0", base: "gone" }), { message: /does not exist in catalog/ });
});

test("documents of other schemas are no templates", async () => {
  assert.equal(isTemplate({ schema: "olm.package" }), false);
  await assert.rejects(renderTemplate({ schema: "olm.package" }, bundle), {
    message: /unknown schema \("olm.package"\)/,
  });
});

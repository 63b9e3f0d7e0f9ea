/** The substitutes template: bundles that take the place of others in their channels. */
import { quote, type Json } from "@capstan/model";
import { isObject, type JsonObject } from "../../decode/json.ts";
import { textAt } from "../../read/object.ts";
import { comparePre, compareVersions, parseVersion } from "../../semver.ts";
import type { ChannelBlob } from "../blobs.ts";
import type { CatalogConfig, ConfigBuilder } from "../config.ts";
import { packageProperties, toCatalog } from "../convert.ts";
import { CatalogError } from "../errors.ts";
import type { ChannelEntry, Property } from "../model.ts";
import { readEntries, type RenderBundle, valueAt } from "./template.ts";

interface Substitution {
  /** The image of the new bundle. */
  readonly name: string;
  /** The name of the bundle whose place it takes. */
  readonly base: string;
}

/** Renders the template. */
export async function renderSubstitutes(template: JsonObject, renderBundle: RenderBundle): Promise<CatalogConfig> {
  const config = readEntries(template);
  checked(config, "render: entries are not valid FBC");
  const bases = new Map<string, string>();
  const names = new Map<string, string>();
  for (const one of substitutionsOf(template)) {
    if (bases.has(one.base)) throw bad(`render: cannot reuse the same substitution base ${quote(one.base)}`);
    const other = names.get(one.name);
    if (other !== undefined)
      throw bad(
        `render: cannot reuse the same substitution ${quote(one.name)} for different bases (${quote(other)} and ${quote(one.base)})`,
      );
    bases.set(one.base, one.name);
    names.set(one.name, one.base);
    await substitute(config, one, renderBundle);
  }
  return config;
}

function bad(problem: string, options?: ErrorOptions): CatalogError {
  return new CatalogError("BadTemplate", problem, options);
}

function checked(config: CatalogConfig, what: string): void {
  try {
    toCatalog(config);
  } catch (cause) {
    throw cause instanceof CatalogError ? bad(`${what}: ${cause.message}`, { cause }) : cause;
  }
}

function substitutionsOf(template: JsonObject): Substitution[] {
  const list = valueAt(template, "substitutions") ?? [];
  if (!Array.isArray(list)) throw bad("unmarshalling template: substitutions must be a list");
  return (list as readonly Json[]).map((item) => {
    const found = isObject(item) ? item : {};
    return { name: textAt(found, "name"), base: textAt(found, "base") };
  });
}

async function substitute(config: ConfigBuilder, one: Substitution, renderBundle: RenderBundle): Promise<void> {
  const where = `render: error processing substitution ${quote(one.base)} -> ${quote(one.name)}`;
  if (one.name === "") throw bad(`${where}: substitution name cannot be empty`);
  if (one.base === "") throw bad(`${where}: substitution base cannot be empty`);
  if (one.name === one.base) throw bad(`${where}: substitution name and base cannot be the same`);
  const { blob } = await renderBundle(one.name);
  const base = config.bundles.find(({ name }) => name === one.base);
  if (base === undefined) throw bad(`${where}: base bundle ${quote(one.base)} does not exist in catalog`);
  if (order(base.properties, blob.properties) >= 0)
    throw bad(`${where}: base bundle ${quote(one.base)} is not less than substitute bundle ${quote(one.name)}`);
  for (const [at, channel] of config.channels.entries())
    config.channels[at] = withSubstitute(channel, one.base, blob.name);
  config.bundles.push(blob);
  checked(config, `${where}: resulting config is not valid FBC`);
}

/** Compares versions, then releases. A release is higher than none. */
function order(a: readonly Property[], b: readonly Property[]): number {
  const [left, right] = [packageProperties(a)[0], packageProperties(b)[0]];
  const [v, w] = [parseVersion(left?.version ?? ""), parseVersion(right?.version ?? "")];
  if (v === undefined || w === undefined) throw bad("a bundle has no valid version in its olm.package property");
  const [r, s] = [releaseOf(left?.release), releaseOf(right?.release)];
  return compareVersions(v, w) || Math.sign(Math.min(1, r.length) - Math.min(1, s.length)) || comparePre(r, s);
}

function releaseOf(release = ""): (string | bigint)[] {
  return release === "" ? [] : release.split(".").map((part) => (/^[0-9]+$/.test(part) ? BigInt(part) : part));
}

/** The new bundle inherits the edges of its base and skips it; edges to the base lead to the new bundle. */
function withSubstitute(channel: ChannelBlob, base: string, name: string): ChannelBlob {
  const found = channel.entries.find((entry) => entry.name === base);
  const moved = found === undefined ? [] : [{ ...found, name, skips: [...found.skips, base] }];
  const entries = channel.entries.map((entry) => repointed(entry, base, name));
  return { ...channel, entries: [...entries, ...moved] };
}

function repointed(entry: ChannelEntry, base: string, name: string): ChannelEntry {
  if (entry.name === base) return { name: base, skips: [] };
  if (entry.replaces === base) return { ...entry, replaces: name, skips: [...entry.skips, base] };
  if (!entry.skips.includes(base)) return entry;
  return { ...entry, skips: [...entry.skips.filter((skip) => skip !== base), name] };
}

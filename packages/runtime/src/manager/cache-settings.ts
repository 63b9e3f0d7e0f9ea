/** Merges the cache settings of controllers that share a kind: they must agree. */
import { kindId } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { isEqual } from "../apply/equal.ts";
import type { CacheSettings } from "../cache/settings.ts";
import type { Controller } from "../define.ts";
import { RuntimeError } from "../errors.ts";
import { Namespace } from "../reconcile/pause.ts";

/** Settings that decide which objects and fields a cache shows: they must be the same for all controllers that share it. */
const SHARED = ["labelSelector", "fieldSelector", "metadataOnly", "namespaces", "transform"] as const;

/** The cache settings of one controller for a kind; absent if it only uses the kind. */
interface Opinion {
  readonly controller: string;
  readonly settings: CacheSettings;
}

/** The cache settings of a kind. Conflicts between controllers are reported at once, before anything is watched. */
export function cacheSettingsOf(controllers: readonly Controller[]): (kind: AnyKind) => CacheSettings | undefined {
  const used = new Map(controllers.flatMap(kindsOf).map((kind) => [kindId(kind), kind]));
  for (const kind of used.values()) joined(kind, opinionsOn(kind, controllers));
  return (kind) => {
    const opinions = opinionsOn(kind, controllers);
    if (opinions.length > 0) return joined(kind, opinions);
    // If no controller reads Namespaces, only their pause annotation matters.
    return kindId(kind) === kindId(Namespace) ? { metadataOnly: true } : undefined;
  };
}

/** The kinds that a controller declares. */
export function kindsOf({ kind, owns, reads, options }: Controller): readonly AnyKind[] {
  return [kind, ...owns, ...reads, ...options.watches.map((watch) => watch.kind)];
}

/** Settings are looked up by the name of a kind, or by `plural.version.group` if one controller uses two kinds of the same name. */
function opinionsOn(kind: AnyKind, controllers: readonly Controller[]): readonly Opinion[] {
  return controllers.flatMap((controller) => {
    const { name, options } = controller;
    const namesakes = kindsOf(controller).filter((each) => each.kind === kind.kind);
    const isUsed = namesakes.some((each) => kindId(each) === kindId(kind));
    // Settings for a kind that is not declared apply to one that is watched later.
    const byName = isUsed || namesakes.length === 0 ? options.cache[kind.kind] : undefined;
    const settings = options.cache[kindId(kind)] ?? byName;
    return isUsed || settings !== undefined ? [{ controller: name, settings: settings ?? {} }] : [];
  });
}

function joined(kind: AnyKind, [first, ...others]: readonly Opinion[]): CacheSettings {
  const all = first === undefined ? [] : [first, ...others];
  for (const other of others) if (first !== undefined) mustAgree(kind, first, other);
  const indexes: { [name: string]: NonNullable<CacheSettings["indexes"]>[string] } = {};
  let budget: number | undefined;
  for (const { controller, settings } of all) {
    for (const [name, values] of Object.entries(settings.indexes ?? {})) {
      if ((indexes[name] ??= values) !== values) refuse(kind, controller, `give the index "${name}" another meaning`);
    }
    if (settings.budget !== undefined) budget = Math.min(budget ?? Infinity, settings.budget);
  }
  return { ...first?.settings, indexes, budget };
}

function mustAgree(kind: AnyKind, first: Opinion, other: Opinion): void {
  for (const setting of SHARED) {
    if (isEqual(meaningOf(first, setting), meaningOf(other, setting))) continue;
    refuse(kind, other.controller, `differ from "${first.controller}" in \`${setting}\``);
  }
}

function meaningOf({ settings }: Opinion, setting: (typeof SHARED)[number]): unknown {
  return settings[setting] === false ? undefined : settings[setting];
}

function refuse(kind: AnyKind, controller: string, what: string): never {
  throw new RuntimeError(
    "BadSetting",
    `Controllers share one cache of ${kind.kind}, and "${controller}" would ${what}: say the same for ${kind.kind} in the \`cache\` of both.`,
  );
}

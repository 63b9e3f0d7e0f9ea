/** What each call costs when it runs: cel-go's prices, under those of Kubernetes' libraries. */

import type { CelResult } from "../values/value.ts";
import { CelError, CelObject } from "../values/value.ts";
import { sizeInOptional, sizeOfValue, traversalCost } from "./size.ts";

/** The price of a call that has happened; undefined when the table has none for these arguments. */
export type CallPrice = (args: readonly CelResult[], result: CelResult) => number | undefined;

const STRING_FACTOR = 0.1;
const REGEX_FACTOR = 0.25;
const AUTHORIZATION_CHECK = 350_000;

function ceil(size: number, factor: number): number {
  return Math.ceil(size * factor);
}

function at(args: readonly CelResult[], index: number): CelResult {
  return args[index] ?? null;
}

const byFirst: CallPrice = (args) => ceil(sizeInOptional(at(args, 0)), STRING_FACTOR);
const bySmaller: CallPrice = (args) =>
  ceil(Math.min(sizeInOptional(at(args, 0)), sizeInOptional(at(args, 1))), STRING_FACTOR);
const bySum: CallPrice = (args) => ceil(sizeInOptional(at(args, 0)) + sizeInOptional(at(args, 1)), STRING_FACTOR);
const matching: CallPrice = (args) =>
  ceil(1 + sizeInOptional(at(args, 0)), STRING_FACTOR) * ceil(sizeInOptional(at(args, 1)), REGEX_FACTOR);
const containing: CallPrice = (args) =>
  ceil(sizeInOptional(at(args, 0)), STRING_FACTOR) * ceil(sizeInOptional(at(args, 1)), STRING_FACTOR);

/** cel-go's prices by overload; everything else costs one. */
const CORE: ReadonlyMap<string, CallPrice> = new Map<string, CallPrice>([
  ["starts_with_string", byFirst],
  ["ends_with_string", byFirst],
  ["string_to_bytes", byFirst],
  ["bytes_to_string", byFirst],
  ["strings_quote", byFirst],
  ["string_format", byFirst],
  ["in_list", (args) => sizeInOptional(at(args, 1))],
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((order): [string, CallPrice][] => [
    [`${order}_string`, bySmaller],
    [`${order}_bytes`, bySmaller],
  ]),
  ["equals", bySmaller],
  ["not_equals", bySmaller],
  ["add_string", bySum],
  ["add_bytes", bySum],
  ["matches_string", matching],
  ["contains_string", containing],
]);

const one: CallPrice = () => 1;
const traversal: CallPrice = (args) => (args.length > 0 ? traversalCost(at(args, 0)) : 0);
const scan: CallPrice = (args) => ceil(sizeOfValue(at(args, 0)), STRING_FACTOR);
const scanTwice: CallPrice = (args) => ceil(sizeOfValue(at(args, 0)) * 2, STRING_FACTOR);
const joining: CallPrice = (_, result) => ceil(sizeOfValue(result) * 2, STRING_FACTOR);
const finding: CallPrice = (args) =>
  ceil(1 + sizeOfValue(at(args, 0)), STRING_FACTOR) * ceil(sizeOfValue(at(args, 1)), REGEX_FACTOR);
const selector: CallPrice = (args) => {
  const length = sizeOfValue(at(args, 1));
  return 10 + ceil(length, STRING_FACTOR) + ceil(ceil(length, 0.5), 50);
};

/** A value that knows the length of its pattern. */
export interface PatternSized {
  readonly patternSize: number;
}

const validating: CallPrice = (args) => {
  const format = at(args, 0) as Partial<PatternSized> | null;
  if (typeof format?.patternSize !== "number") return undefined;
  return ceil(1 + sizeOfValue(at(args, 1)), STRING_FACTOR) * ceil(format.patternSize, REGEX_FACTOR);
};

function entries(names: string, price: CallPrice): [string, CallPrice][] {
  return names.split(" ").map((name) => [name, price]);
}

/** Kubernetes' prices by function; they come before cel-go's. */
const KUBERNETES: ReadonlyMap<string, CallPrice> = new Map<string, CallPrice>([
  ["check", () => AUTHORIZATION_CHECK],
  ...entries("serviceAccount path group resource subresource namespace name allowed reason error errored", one),
  ...entries("fieldSelector labelSelector", selector),
  ...entries("isSorted sum max min indexOf lastIndexOf", traversal),
  ...entries("url lowerAscii upperAscii substring trim jsonpatch.escapeKey", scan),
  ...entries("replace split", scanTwice),
  ["join", joining],
  ...entries("find findAll", finding),
  ...entries("cidr isIP isCIDR quantity isQuantity semver isSemver", scan),
  ["ip.isCanonical", scanTwice],
  ...entries(
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast",
    one,
  ),
  ["validate", validating],
  ["format.named", one],
  ...entries(
    "sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch",
    one,
  ),
  ...entries("getScheme getHostname getHost getPort getEscapedPath getQuery", one),
  ["_==_", (args) => (at(args, 0) instanceof CelObject && isLibraryValue(at(args, 0)) ? 1 : undefined)],
]);

/** Quantities, addresses, URLs and the like compare in one step; objects that users write do not. */
function isLibraryValue(value: CelResult): boolean {
  return value instanceof CelObject && /^(kubernetes|net)\./.test(value.type.name);
}

function containsIp(overload: string): CallPrice {
  return (args) => {
    const size = sizeOfValue(at(args, 0));
    const parse = overload === "cidr_contains_ip_string" ? ceil(sizeOfValue(at(args, 1)), STRING_FACTOR) : 0;
    return ceil(size + size, STRING_FACTOR) + parse;
  };
}

function containsCidr(overload: string): CallPrice {
  return (args) => {
    const size = sizeOfValue(at(args, 0));
    const parse = overload === "cidr_contains_cidr_string" ? ceil(sizeOfValue(at(args, 1)), STRING_FACTOR) : 0;
    return ceil(size + size, STRING_FACTOR) + ceil(size, STRING_FACTOR) + 1 + parse;
  };
}

/** The price by Kubernetes of a function, which may depend on the overload. */
function kubernetesPrice(fn: string, overload: string): CallPrice | undefined {
  if (fn === "containsIP") return containsIp(overload);
  if (fn === "containsCIDR") return containsCidr(overload);
  if (fn === "ip") return overload === "cidr_ip" ? one : scan;
  return KUBERNETES.get(fn);
}

const LIST_BASE = 11;
/** In cel-go the cost of an error cannot be computed, and that ends the whole evaluation: no operator absorbs it. */
const selfCompare = (list: CelResult): number => {
  if (list instanceof CelError) {
    throw new CelError("internal error: interface conversion: *types.Err is not traits.Lister: missing method Add");
  }
  const size = sizeOfValue(list);
  const first = size > 0 && typeof list === "object" && list !== null && "at" in list ? list.at(0) : null;
  const factor = typeof first === "string" || first instanceof Uint8Array ? 2 + STRING_FACTOR : 2;
  return Math.floor(size * size * factor) + LIST_BASE;
};

/** The prices of the set and list extensions by overload; they come first. */
function extensionPrice(overload: string): CallPrice | undefined {
  const sets = /^list_sets_(contains|intersects|equivalent)_list$/.exec(overload);
  if (sets) {
    const factor = sets[1] === "equivalent" ? 2 : 1;
    return (args) => 1 + sizeOfValue(at(args, 0)) * sizeOfValue(at(args, 1)) * factor;
  }
  if (/^(list_slice|lists_range|list_reverse)$/.test(overload)) return (_, result) => sizeOfValue(result) + LIST_BASE;
  if (overload.startsWith("list_flatten")) return flattenPrice;
  if (overload === "list_distinct" || /^list_.+_sort$/.test(overload)) return (args) => selfCompare(at(args, 0));
  if (/^list_.+_sortByAssociatedKeys$/.test(overload)) return (args) => selfCompare(at(args, 1));
  return undefined;
}

const flattenPrice: CallPrice = (args) => {
  const depth = args.length === 2 ? Number(at(args, 1)) : 1;
  return Math.floor(sizeOfValue(at(args, 0)) * depth) + LIST_BASE;
};

/** How a call is priced: always one, or by a function of what went in and came out. */
export function priceOf(fn: string, overload: string): CallPrice | 1 {
  const core = CORE.get(overload);
  const prices = [extensionPrice(overload), kubernetesPrice(fn, overload), core].filter((price) => price !== undefined);
  const [first] = prices;
  if (!first || first === one) return 1;
  if (prices.length === 1) return (args, result) => first(args, result) ?? 1;
  return (args, result) => {
    for (const price of prices) {
      const cost = price(args, result);
      if (cost !== undefined) return cost;
    }
    return 1;
  };
}

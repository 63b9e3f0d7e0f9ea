/** What a call may cost before it runs, given how large its arguments may be: Kubernetes' and the extensions' estimates. */

import type { Type } from "../type.ts";
import { sameType } from "../type.ts";
import type { LiteralValue } from "../syntax/ast.ts";
import { clamp, CostRange, MAX_COST } from "./range.ts";

/** An argument as estimates see it. */
export interface EstimatedNode {
  /** The path from a variable, when it is one: names, "@items", "@keys" and "@values". */
  readonly path: readonly string[] | undefined;
  readonly type: Type;
  /** The literal, when it is one. */
  readonly literal: LiteralValue | undefined;
  /** The size, if the expression determines it. */
  readonly size: CostRange | undefined;
}

/** A call: what it is, what it is called on and with. */
export interface EstimatedCall {
  readonly fn: string;
  readonly overload: string;
  readonly target: EstimatedNode | undefined;
  readonly args: readonly EstimatedNode[];
  /** The size of a node, from what is computed or declared. */
  readonly sizeOf: (node: EstimatedNode) => CostRange;
}

/** The cost of the call alone and, for strings and containers, the size of its result. */
export interface CallEstimate {
  readonly cost: CostRange;
  readonly size?: CostRange;
}

const STRING_FACTOR = 0.1;
const REGEX_FACTOR = 0.25;
const ONE = CostRange.fixed(1n);
const NAME_PATTERN_SIZE = 128;
const MAX_FORMAT_SIZE = 64n;

type Estimate = (call: EstimatedCall) => CallEstimate | undefined;

const nominal: Estimate = () => ({ cost: ONE });

/** One pass over the first argument. */
function scanArgument(factor: number, keepsSize: boolean): Estimate {
  return ({ args, sizeOf }) => {
    const [first] = args;
    if (!first) return undefined;
    const size = sizeOf(first);
    return keepsSize ? { cost: size.scale(factor), size } : { cost: size.scale(factor) };
  };
}

const scanTarget: Estimate = ({ target, sizeOf }) => {
  if (!target) return undefined;
  const size = sizeOf(target);
  return { cost: size.scale(STRING_FACTOR), size };
};

const selector: Estimate = ({ args, sizeOf }) => {
  const [first] = args;
  if (!first || args.length !== 1) return undefined;
  const length = sizeOf(first);
  return { cost: CostRange.fixed(10n).add(length.scale(STRING_FACTOR)).add(length.scale(0.5).scale(50)) };
};

/** The elements of a list, which may have a declared size. */
function elementOf(list: EstimatedNode): EstimatedNode | undefined {
  const [type] = list.type.params;
  if (!type) return undefined;
  const path = list.path && list.path.length > 0 ? [...list.path, "@items"] : undefined;
  return { path, type, literal: undefined, size: undefined };
}

/** Comparing all elements of a list, or searching a string. */
const traversal: Estimate = ({ target, sizeOf }) => {
  if (!target) return undefined;
  const element = elementOf(target);
  if (!element) return { cost: sizeOf(target).scale(STRING_FACTOR) };
  const compares = element.type.kind === "string" || element.type.kind === "bytes";
  const each = compares ? ONE.add(sizeOf(element).scale(STRING_FACTOR)) : ONE;
  return { cost: sizeOf(target).times(each) };
};

const replace: Estimate = ({ target, args, sizeOf }) => {
  const [from, to] = args;
  if (!target || !from || !to) return undefined;
  const size = sizeOf(target);
  const longest = longestReplacement(size.max, sizeOf(from).min, sizeOf(to).max);
  const shortest = shortestReplacement(size.min, sizeOf(from).max, sizeOf(to).min);
  const count = new CostRange(shortest.count, longest.count);
  const kept = new CostRange(shortest.kept, longest.kept);
  return { cost: size.scale(2 * STRING_FACTOR), size: count.times(sizeOf(to)).add(kept) };
};

interface Replacement {
  readonly count: bigint;
  readonly kept: bigint;
}

/** An empty search string matches around every character; a shorter replacement never makes the text longer. */
function longestReplacement(size: bigint, from: bigint, to: bigint): Replacement {
  if (from === 0n) return { count: clamp(size + 1n), kept: size };
  if (to <= from) return { count: 0n, kept: size };
  return { count: divideUp(size, from), kept: 0n };
}

function shortestReplacement(size: bigint, from: bigint, to: bigint): Replacement {
  if (from === 0n) return { count: clamp(size + 1n), kept: size };
  if (from <= to) return { count: 0n, kept: size };
  return { count: divideUp(size, from), kept: 0n };
}

/** Through floats, as the original does it. */
function divideUp(a: bigint, b: bigint): bigint {
  const quotient = Math.ceil(Number(a) / Number(b));
  return quotient >= 2 ** 64 ? 2n ** 63n : BigInt(quotient);
}

const split: Estimate = ({ target, args, sizeOf }) => {
  if (!target) return undefined;
  const size = sizeOf(target);
  const limit = args[1]?.literal;
  const most = typeof limit === "bigint" ? BigInt.asUintN(64, limit) : size.max;
  return { cost: size.scale(2 * STRING_FACTOR), size: new CostRange(0n, most) };
};

const join: Estimate = ({ target, args, sizeOf }) => {
  if (!target) return undefined;
  const count = sizeOf(target);
  const element = elementOf(target);
  let size = element ? count.times(sizeOf(element)) : CostRange.fixed(0n);
  const [separator] = args;
  if (separator) {
    const separators = new CostRange(count.min > 0n ? count.min - 1n : 0n, count.max > 0n ? count.max - 1n : 0n);
    size = size.add(sizeOf(separator).times(separators));
  }
  return { cost: size.scale(STRING_FACTOR), size };
};

const find: Estimate = ({ target, args, sizeOf }) => {
  const [pattern] = args;
  if (!target || !pattern) return undefined;
  const size = sizeOf(target);
  const cost = size.add(ONE).scale(STRING_FACTOR).times(sizeOf(pattern).scale(REGEX_FACTOR));
  return { cost, size: new CostRange(0n, size.max) };
};

const ip: Estimate = (call) => (call.overload === "cidr_ip" ? nominal(call) : scanArgument(STRING_FACTOR, false)(call));

/** An address has 4 to 16 bytes. */
const ADDRESS = new CostRange(4n, 16n);

function containment(parsed: string, extra: CostRange): Estimate {
  return ({ overload, args, sizeOf }) => {
    const [other] = args;
    if (!other) return undefined;
    const cost = ADDRESS.add(ADDRESS).scale(STRING_FACTOR).add(extra);
    return { cost: overload === parsed ? cost.add(sizeOf(other).scale(STRING_FACTOR)) : cost };
  };
}

const validate: Estimate = ({ args, sizeOf }) => {
  const [text] = args;
  return (
    text && {
      cost: sizeOf(text)
        .scale(STRING_FACTOR)
        .scale(NAME_PATTERN_SIZE * REGEX_FACTOR),
    }
  );
};

const CONSTANT_EQUALITY: ReadonlySet<string> = new Set([
  "net.IP",
  "net.CIDR",
  "kubernetes.Quantity",
  "kubernetes.Semver",
  "kubernetes.authorization.Authorizer",
  "kubernetes.authorization.PathCheck",
  "kubernetes.authorization.GroupCheck",
  "kubernetes.authorization.ResourceCheck",
  "kubernetes.authorization.Decision",
]);

const equality: Estimate = ({ args }) => {
  const [left, right] = args;
  if (!left || !right || !sameType(left.type, right.type)) return undefined;
  const { name } = left.type;
  if (CONSTANT_EQUALITY.has(name)) return { cost: ONE };
  if (name === "kubernetes.NamedFormat") return { cost: new CostRange(1n, MAX_FORMAT_SIZE).scale(STRING_FACTOR) };
  if (name !== "kubernetes.URL") return undefined;
  return { cost: new CostRange(1n, right.size?.max ?? 1n).scale(STRING_FACTOR) };
};

function entries(names: string, estimate: Estimate): [string, Estimate][] {
  return names.split(" ").map((name) => [name, estimate]);
}

const KUBERNETES: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ["check", () => ({ cost: CostRange.fixed(350_000n) })],
  ...entries("serviceAccount path group resource subresource namespace name allowed reason error errored", nominal),
  ...entries("fieldSelector labelSelector", selector),
  ...entries("isSorted sum max min indexOf lastIndexOf", traversal),
  ...entries("url jsonpatch.escapeKey", (call) =>
    call.args.length === 1 ? scanArgument(STRING_FACTOR, true)(call) : undefined,
  ),
  ...entries("lowerAscii upperAscii substring trim", scanTarget),
  ["replace", replace],
  ["split", split],
  ["join", join],
  ...entries("find findAll", find),
  ...entries("cidr isIP isCIDR quantity isQuantity semver isSemver", scanArgument(STRING_FACTOR, false)),
  ["ip", ip],
  ["ip.isCanonical", scanArgument(2 * STRING_FACTOR, false)],
  ...entries(
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast",
    nominal,
  ),
  ["containsIP", containment("cidr_contains_ip_string", CostRange.fixed(0n))],
  ["containsCIDR", containment("cidr_contains_cidr_string", ADDRESS.scale(STRING_FACTOR).add(ONE))],
  ["validate", validate],
  ["format.named", nominal],
  ...entries(
    "sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch",
    nominal,
  ),
  ...entries("getScheme getHostname getHost getPort getEscapedPath getQuery", nominal),
  ["_==_", equality],
]);

/** A call that makes a list of `size` and looks at each element `factor` times. */
function listCall(factor: number, size: CostRange): CallEstimate {
  return { cost: size.scale(factor).add(CostRange.fixed(11n)), size };
}

function literalInt(node: EstimatedNode | undefined, otherwise: bigint): bigint {
  if (typeof node?.literal !== "bigint") return otherwise;
  return node.literal < 0n ? 0n : node.literal;
}

const slice: Estimate = ({ target, args, sizeOf }) => {
  if (!target || args.length !== 2) return undefined;
  const length = literalInt(args[1], sizeOf(target).max) - literalInt(args[0], 0n);
  return listCall(1, CostRange.fixed(BigInt.asUintN(64, length)));
};

const range: Estimate = ({ args }) => listCall(1, CostRange.fixed(literalInt(args[0], MAX_COST)));
const reverse: Estimate = ({ target, sizeOf }) => target && listCall(1, sizeOf(target));
const flatten: Estimate = ({ target, args, sizeOf }) =>
  target && listCall(args.length === 1 ? Number(literalInt(args[0], MAX_COST)) : 1, sizeOf(target));

/** Every element meets every other; strings take a little longer. */
function selfCompare(
  compared: EstimatedNode | undefined,
  elementName: string,
  sizeOf: EstimatedCall["sizeOf"],
): CallEstimate | undefined {
  if (!compared) return undefined;
  const size = sizeOf(compared);
  const factor = elementName === "string" || elementName === "bytes" ? 2 + STRING_FACTOR : 2;
  return listCall(factor, size.times(size));
}

function setsEstimate(factor: number): Estimate {
  return ({ args, sizeOf }) => {
    const [left, right] = args;
    return left && right && { cost: sizeOf(left).times(sizeOf(right)).scale(factor).add(ONE) };
  };
}

const BY_OVERLOAD: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ["list_sets_contains_list", setsEstimate(1)],
  ["list_sets_intersects_list", setsEstimate(1)],
  ["list_sets_equivalent_list", setsEstimate(2)],
  ["list_slice", slice],
  ["lists_range", range],
  ["list_reverse", reverse],
  ["list_flatten", flatten],
  ["list_flatten_int", flatten],
  ["list_distinct", ({ target, sizeOf }) => selfCompare(target, "", sizeOf)],
]);

/** The estimate of the libraries; undefined where the core's own applies. */
export function libraryEstimate(call: EstimatedCall): CallEstimate | undefined {
  const sort = /^list_(.+)_(sort|sortByAssociatedKeys)$/.exec(call.overload);
  if (sort) return selfCompare(sort[2] === "sort" ? call.target : call.args[0], sort[1] ?? "", call.sizeOf);
  return BY_OVERLOAD.get(call.overload)?.(call) ?? KUBERNETES.get(call.fn)?.(call);
}

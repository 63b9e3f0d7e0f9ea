/** What cel-go estimates for the operators and functions of the core. */

import { CostRange } from "./range.ts";
import type { CallEstimate, EstimatedNode } from "./call-estimate.ts";

const STRING_FACTOR = 0.1;
const REGEX_FACTOR = 0.25;
const ONE = CostRange.fixed(1n);

/** A call of the core: sizes come from the expression itself, or are unknown. */
export interface CoreCall {
  readonly overload: string;
  readonly target: EstimatedNode | undefined;
  readonly args: readonly EstimatedNode[];
}

function sizeOf(node: EstimatedNode): CostRange {
  return node.size ?? CostRange.unknown;
}

function shifted(size: CostRange, min: (value: bigint) => bigint, max: (value: bigint) => bigint): CostRange {
  return new CostRange(BigInt.asUintN(64, min(size.min)), BigInt.asUintN(64, max(size.max)));
}

/** One pass over an argument that makes something of another size. */
function convertText(argument: EstimatedNode, size: (from: CostRange) => CostRange): CallEstimate {
  const from = sizeOf(argument);
  return { cost: from.scale(STRING_FACTOR), size: size(from) };
}

const COMPARED = /^((less|greater)(_equals)?_(string|bytes)|equals|not_equals)$/;

/** The cost without that of the arguments; undefined means one. */
export function coreEstimate({ overload, target, args }: CoreCall): CallEstimate | undefined {
  const [first, second] = args;
  if (target) return first && args.length === 1 ? memberEstimate(overload, target, first) : undefined;
  if (!first) return undefined;
  if (second && args.length === 2) return binaryEstimate(overload, first, second);
  return args.length === 1 ? unaryEstimate(overload, first) : undefined;
}

function memberEstimate(overload: string, target: EstimatedNode, argument: EstimatedNode): CallEstimate | undefined {
  switch (overload) {
    case "string_format":
      return { cost: sizeOf(target).scale(STRING_FACTOR) };
    case "starts_with_string":
    case "ends_with_string":
      return { cost: sizeOf(argument).scale(STRING_FACTOR) };
    case "matches_string":
      return { cost: sizeOf(target).add(ONE).scale(STRING_FACTOR).times(sizeOf(argument).scale(REGEX_FACTOR)) };
    case "contains_string":
      return { cost: sizeOf(target).scale(STRING_FACTOR).times(sizeOf(argument).scale(STRING_FACTOR)) };
    default:
      return undefined;
  }
}

function unaryEstimate(overload: string, argument: EstimatedNode): CallEstimate | undefined {
  switch (overload) {
    case "string_to_bytes":
      return convertText(argument, (from) =>
        shifted(
          from,
          (min) => min,
          (max) => max * 4n,
        ),
      );
    case "bytes_to_string":
      return convertText(argument, (from) =>
        shifted(
          from,
          (min) => min / 4n,
          (max) => max,
        ),
      );
    case "strings_quote":
      return convertText(argument, (from) =>
        shifted(
          from,
          (min) => min + 2n,
          (max) => max * 2n + 2n,
        ),
      );
    default:
      return undefined;
  }
}

function binaryEstimate(overload: string, left: EstimatedNode, right: EstimatedNode): CallEstimate | undefined {
  if (overload === "in_list") return { cost: sizeOf(right).scale(1) };
  if (overload === "add_list") return { cost: ONE, size: sizeOf(left).add(sizeOf(right)) };
  if (overload === "add_string" || overload === "add_bytes") {
    const size = sizeOf(left).add(sizeOf(right));
    return { cost: size.scale(STRING_FACTOR), size };
  }
  if (!COMPARED.test(overload)) return undefined;
  const most = sizeOf(left).max < sizeOf(right).max ? sizeOf(left).max : sizeOf(right).max;
  return { cost: new CostRange(most > 0n ? 1n : 0n, most).scale(STRING_FACTOR) };
}

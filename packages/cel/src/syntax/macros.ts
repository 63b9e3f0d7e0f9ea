/** Macros: calls that the parser rewrites before anything is checked. */

import type { ComprehensionNode, FieldEntry, LiteralValue, MapEntry, Node } from "./ast.ts";
import { ACCUMULATOR } from "./ast.ts";

/** Why a macro call is malformed, and where. */
export class MacroError extends Error {
  override readonly name = "MacroError";
  readonly position: number;
  constructor(position: number, message: string) {
    super(message);
    this.position = position;
  }
}

/** The number of arguments of a macro that takes any. */
export const ANY_ARGS = -1;

/** Rewrites a call; undefined means that the macro does not apply. */
export type Expand = (make: NodeFactory, target: Node | undefined, args: readonly Node[]) => Node | undefined;

/** A macro by its name, its number of arguments and whether it is called on something. */
export interface Macro {
  readonly name: string;
  readonly args: number;
  readonly receiver: boolean;
  readonly expand: Expand;
}

/** Makes nodes that all sit where the macro was called. */
export class NodeFactory {
  readonly position: number;
  constructor(position: number) {
    this.position = position;
  }
  literal(value: LiteralValue): Node {
    return { kind: "literal", position: this.position, value };
  }
  ident(name: string): Node {
    return { kind: "ident", position: this.position, name };
  }
  accumulator(): Node {
    return this.ident(ACCUMULATOR);
  }
  list(...elements: Node[]): Node {
    return { kind: "list", position: this.position, elements, optionals: new Set() };
  }
  map(...entries: MapEntry[]): Node {
    return { kind: "map", position: this.position, entries };
  }
  struct(name: string, fields: readonly FieldEntry[]): Node {
    return { kind: "struct", position: this.position, name, fields };
  }
  call(fn: string, ...args: Node[]): Node {
    return { kind: "call", position: this.position, fn, target: undefined, args };
  }
  memberCall(fn: string, target: Node, ...args: Node[]): Node {
    return { kind: "call", position: this.position, fn, target, args };
  }
  presence(operand: Node, field: string): Node {
    return { kind: "select", position: this.position, operand, field, test: true };
  }
  comprehension(
    parts: Omit<ComprehensionNode, "kind" | "position" | "iterVar2"> & { readonly iterVar2?: string },
  ): Node {
    return { kind: "comprehension", position: this.position, iterVar2: "", ...parts };
  }
}

/** The name of an iteration variable, or the error for an argument that is not a name. */
function iterationVariable(argument: Node | undefined, complaint: string): string {
  if (argument?.kind !== "ident") throw new MacroError(argument?.position ?? -1, complaint);
  if (argument.name === ACCUMULATOR || argument.name === "__result__") {
    throw new MacroError(argument.position, "iteration variable overwrites accumulator variable");
  }
  return argument.name;
}

/** The initial value, the condition, the step and the result of a quantifier. */
type Loop = Pick<ComprehensionNode, "init" | "condition" | "step" | "result">;

function allLoop(make: NodeFactory, predicate: Node): Loop {
  return {
    init: make.literal(true),
    condition: make.call("@not_strictly_false", make.accumulator()),
    step: make.call("_&&_", make.accumulator(), predicate),
    result: make.accumulator(),
  };
}

function existsLoop(make: NodeFactory, predicate: Node): Loop {
  return {
    init: make.literal(false),
    condition: make.call("@not_strictly_false", make.call("!_", make.accumulator())),
    step: make.call("_||_", make.accumulator(), predicate),
    result: make.accumulator(),
  };
}

function existsOneLoop(make: NodeFactory, predicate: Node): Loop {
  const counted = make.call("_+_", make.accumulator(), make.literal(1n));
  return {
    init: make.literal(0n),
    condition: make.literal(true),
    step: make.call("_?_:_", predicate, counted, make.accumulator()),
    result: make.call("_==_", make.accumulator(), make.literal(1n)),
  };
}

function collectLoop(make: NodeFactory, init: Node, step: Node, filter: Node | undefined): Loop {
  return {
    init,
    condition: make.literal(true),
    step: filter ? make.call("_?_:_", filter, step, make.accumulator()) : step,
    result: make.accumulator(),
  };
}

type MakeLoop = (make: NodeFactory, predicate: Node) => Loop;

function quantifier(makeLoop: MakeLoop): Expand {
  return (make, target, [variable, predicate]) => {
    const iterVar = iterationVariable(variable, "argument must be a simple name");
    return make.comprehension({
      range: target as Node,
      iterVar,
      accuVar: ACCUMULATOR,
      ...makeLoop(make, predicate as Node),
    });
  };
}

/** `range.map(x, f)` and `range.map(x, filter, f)`; shared with sortBy. */
export const expandMap: Expand = (make, target, args) => {
  const iterVar = iterationVariable(args[0], "argument is not an identifier");
  const transform = args.at(-1) as Node;
  const step = make.call("_+_", make.accumulator(), make.list(transform));
  const loop = collectLoop(make, make.list(), step, args.length === 3 ? args[1] : undefined);
  return make.comprehension({ range: target as Node, iterVar, accuVar: ACCUMULATOR, ...loop });
};

const expandFilter: Expand = (make, target, [variable, predicate]) => {
  const iterVar = iterationVariable(variable, "argument is not an identifier");
  const step = make.call("_+_", make.accumulator(), make.list(variable as Node));
  const loop = collectLoop(make, make.list(), step, predicate);
  return make.comprehension({ range: target as Node, iterVar, accuVar: ACCUMULATOR, ...loop });
};

const expandHas: Expand = (make, _target, [argument]) => {
  if (argument?.kind !== "select") throw new MacroError(argument?.position ?? -1, "invalid argument to has() macro");
  return make.presence(argument.operand, argument.field);
};

function receiver(name: string, args: number, expand: Expand): Macro {
  return { name, args, receiver: true, expand };
}

/** The macros that every environment has. */
export const STANDARD_MACROS: readonly Macro[] = [
  { name: "has", args: 1, receiver: false, expand: expandHas },
  receiver("all", 2, quantifier(allLoop)),
  receiver("exists", 2, quantifier(existsLoop)),
  receiver("exists_one", 2, quantifier(existsOneLoop)),
  receiver("map", 2, expandMap),
  receiver("map", 3, expandMap),
  receiver("filter", 2, expandFilter),
];

function twoVariables(args: readonly Node[]): { readonly iterVar: string; readonly iterVar2: string } {
  const [first, second] = args;
  for (const argument of [first, second]) {
    if (argument?.kind !== "ident") throw new MacroError(argument?.position ?? -1, "argument must be a simple name");
  }
  if (first?.kind === "ident" && second?.kind === "ident" && first.name === second.name) {
    throw new MacroError(second.position, `duplicate variable name: ${first.name}`);
  }
  const complaint = "argument must be a simple name";
  return { iterVar: iterationVariable(first, complaint), iterVar2: iterationVariable(second, complaint) };
}

function quantifier2(makeLoop: MakeLoop): Expand {
  return (make, target, args) => {
    const variables = twoVariables(args);
    const loop = makeLoop(make, args[2] as Node);
    return make.comprehension({ range: target as Node, ...variables, accuVar: ACCUMULATOR, ...loop });
  };
}

/** How a transforming macro adds one element to what it builds. */
type MakeStep = (make: NodeFactory, transform: Node, iterVar: string) => Node;

function transform(empty: (make: NodeFactory) => Node, makeStep: MakeStep): Expand {
  return (make, target, args) => {
    const variables = twoVariables(args);
    const step = makeStep(make, args.at(-1) as Node, variables.iterVar);
    const loop = collectLoop(make, empty(make), step, args.length === 4 ? args[2] : undefined);
    return make.comprehension({ range: target as Node, ...variables, accuVar: ACCUMULATOR, ...loop });
  };
}

const transformList = transform(
  (make) => make.list(),
  (make, value) => make.call("_+_", make.accumulator(), make.list(value)),
);
const transformMap = transform(
  (make) => make.map(),
  (make, value, iterVar) => make.call("cel.@mapInsert", make.accumulator(), make.ident(iterVar), value),
);
const transformMapEntry = transform(
  (make) => make.map(),
  (make, entry) => make.call("cel.@mapInsert", make.accumulator(), entry),
);

/** The macros with two variables: index and element, or key and value. */
export const TWO_VARIABLE_MACROS: readonly Macro[] = [
  receiver("all", 3, quantifier2(allLoop)),
  receiver("exists", 3, quantifier2(existsLoop)),
  receiver("existsOne", 3, quantifier2(existsOneLoop)),
  receiver("exists_one", 3, quantifier2(existsOneLoop)),
  receiver("transformList", 3, transformList),
  receiver("transformList", 4, transformList),
  receiver("transformMap", 3, transformMap),
  receiver("transformMap", 4, transformMap),
  receiver("transformMapEntry", 3, transformMapEntry),
  receiver("transformMapEntry", 4, transformMapEntry),
];

/** The variable of a binding that nothing iterates over. */
const UNUSED = "#unused";

/** `result` with `name` standing for the value of `init`, which is computed when first needed. */
export function bind(make: NodeFactory, name: string, init: Node, result: Node): Node {
  return make.comprehension({
    range: make.list(),
    iterVar: UNUSED,
    accuVar: name,
    init,
    condition: make.literal(false),
    step: make.ident(name),
    result,
  });
}

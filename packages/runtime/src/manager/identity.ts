/** The names that a controller has and had in the cluster: as an owner of fields, and as one that holds objects until they are cleaned up. */
import type { Controller } from "../define.ts";
import { qualified } from "../qualified.ts";
import type { OperatorDefinition } from "./operator.ts";

/** What a controller writes under. Of lists, the first is what it is called now, and the others are of earlier names. */
export interface Identity {
  readonly operator: string;
  /** The names of all controllers of the operator. */
  readonly controllers: readonly string[];
  /** The owner of its fields. */
  readonly manager: string;
  readonly formerManagers: readonly string[];
  readonly finalizers: Names;
  /** Finalizers of versions that did not name the operator in them. */
  readonly sharedFinalizers: SharedFinalizers;
  /** What holds an object until those of its children are gone that the garbage collector cannot find. */
  readonly childrenFinalizers: Names;
}

/** Finalizers that others may have set as well, of the operator or not. */
export interface SharedFinalizers {
  /** Held objects until they were cleaned up. */
  readonly cleanup: readonly string[];
  /** Held objects until their children were gone. */
  readonly children: string;
  /** What the finalizers of all controllers of the operator begin with. */
  readonly prefix: string;
}

/** The name that holds, and those that held before. */
export type Names = readonly [string, ...string[]];

/** What of an operator tells the names of its controllers. */
export interface Named extends Pick<OperatorDefinition, "name" | "previous"> {
  readonly controllers?: readonly Pick<Controller, "name">[];
}

/** The names of a controller within its operator. */
export function identityOf(
  { name, previous, controllers = [] }: Named,
  { name: own, previousNames, kind }: Pick<Controller, "name" | "previousNames" | "kind">,
): Identity {
  const present = `${name}-${own}`;
  const of = (operator: string) => [own, ...previousNames].map((controller) => `${operator}-${controller}`);
  // What somebody is called now is no earlier name of anybody, itself included: whoever was renamed back would give up what it has.
  const taken = new Set([present, ...controllers.map((controller) => `${name}-${controller.name}`)]);
  const former = [name, ...(previous?.names ?? [])].flatMap(of).filter((manager) => !taken.has(manager));
  const managers = [present, ...new Set(former)];
  const prefix = kind.group === "" ? "capstan.dev" : kind.group;
  // Before operators were named in it, two of them with a controller of the same name let go of each other's objects.
  const shared = [own, ...previousNames].filter((each) => !taken.has(each));
  const finalizerOf = (each: string): string => `${prefix}/${qualified(each)}`;
  const [manager, ...formerManagers] = some(managers);
  return {
    operator: name,
    controllers: controllers.map((controller) => controller.name),
    manager,
    formerManagers,
    finalizers: some(managers.map(finalizerOf)),
    sharedFinalizers: { cleanup: shared.map(finalizerOf), children: CHILDREN, prefix: `${prefix}/${name}-` },
    childrenFinalizers: some(managers.map((each) => `capstan.dev/${qualified(`children-of-${each}`)}`)),
  };
}

/** The one that all controllers shared: whichever was through first let the object go, and with it the children of the others. */
const CHILDREN = "capstan.dev/children";

function some([first = "", ...others]: readonly string[]): Names {
  return [first, ...others];
}

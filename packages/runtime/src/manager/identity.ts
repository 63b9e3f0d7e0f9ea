/** The current and previous names of a controller in the cluster: its field managers and finalizers. */
import type { Controller } from "../define.ts";
import { qualified } from "../reconcile/qualified.ts";
import type { OperatorDefinition } from "./operator.ts";

/** The names that a controller writes under. The first of a list is the current name, the others are previous ones. */
export interface Identity {
  readonly operator: string;
  /** The names of all controllers of the operator. */
  readonly controllers: readonly string[];
  /** Its field manager. */
  readonly manager: string;
  readonly formerManagers: readonly string[];
  readonly finalizers: Names;
  /** Finalizers of versions in which they did not contain the operator name. */
  readonly sharedFinalizers: SharedFinalizers;
  /** Finalizers that hold an object until the children are gone that the garbage collector cannot find. */
  readonly childrenFinalizers: Names;
}

/** Finalizers that other controllers, also of other operators, may have set as well. */
export interface SharedFinalizers {
  /** Held objects until their cleanup. */
  readonly cleanup: readonly string[];
  /** Held objects until their children were gone. */
  readonly children: string;
  /** The prefix of the finalizers of all controllers of the operator. */
  readonly prefix: string;
}

/** The current name, and the previous ones. */
export type Names = readonly [string, ...string[]];

/** The parts of an operator from which the names of its controllers follow. */
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
  // A current name of any controller is not a previous name: after renaming back, the controller would release its own fields.
  const taken = new Set([present, ...controllers.map((controller) => `${name}-${controller.name}`)]);
  const former = [name, ...(previous?.names ?? [])].flatMap(of).filter((manager) => !taken.has(manager));
  const managers = [present, ...new Set(former)];
  const prefix = kind.group === "" ? "capstan.dev" : kind.group;
  // These finalizers did not contain the operator name: two operators with a controller of the same name released each other's objects.
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

/** All controllers shared this finalizer: the first that was done released the object, and with it the children of the others. */
const CHILDREN = "capstan.dev/children";

function some([first = "", ...others]: readonly string[]): Names {
  return [first, ...others];
}

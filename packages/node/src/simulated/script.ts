/** How simulated containers behave: a list of rules, of which the first that fits a container says what happens to it. */
import type { Container } from "@capstan/kinds/v1";
import type { BoundPod, ContainerKind } from "../pod/containers.ts";

/** Which containers a rule is about; what is not said fits all. Texts may have `*` for anything. */
export interface Pattern {
  readonly namespace?: string;
  readonly pod?: string;
  readonly container?: string;
  readonly image?: string;
  readonly labels?: { readonly [key: string]: string };
}

/** How a container ends by itself. */
export interface ScriptedEnd {
  readonly type: "exit" | "oom";
  readonly code?: number;
  readonly message?: string;
  /** How long after its start, in milliseconds. */
  readonly after: number;
  /** Only so many starts end like this; later ones run on. */
  readonly times?: number;
}

/** What happens to a container. Times are milliseconds. */
export interface Behaviour {
  /** How long the image takes to come. */
  readonly pullDelay?: number;
  /** The image never comes, and this is why. */
  readonly pullError?: string;
  /** How long the container takes to start. */
  readonly startDelay?: number;
  /** It cannot be started, and this is why. */
  readonly startError?: string;
  /** How long after its start its probes begin to pass; `never` is a container that hangs. */
  readonly readyDelay?: number | "never";
  /** How long it takes to end when it is asked to; `never` waits to be killed. */
  readonly stopDelay?: number | "never";
  readonly end?: ScriptedEnd;
}

/** A rule of a script. */
export interface Rule extends Behaviour {
  readonly match?: Pattern;
}

/** A container of a pod, as rules look at it. */
export interface Subject {
  readonly pod: BoundPod;
  readonly container: Container;
  readonly kind: ContainerKind;
}

/** What a container does: the first rule that fits, over what is natural for its kind. */
export function behaviourOf(script: readonly Rule[], subject: Subject): Behaviour {
  const rule = script.find(({ match }) => match === undefined || fits(match, subject));
  return { ...natural(subject), ...rule };
}

/** Init containers and the pods of jobs do their work and end; everything else serves for ever. */
function natural({ pod, kind }: Subject): Behaviour {
  if (kind === "init") return { end: { type: "exit", code: 0, after: 0 } };
  const ofJob = pod.metadata.ownerReferences?.some((owner) => owner.kind === "Job" && owner.controller === true);
  return ofJob === true && kind === "regular" ? { end: { type: "exit", code: 0, after: 1000 } } : {};
}

function fits({ namespace, pod, container, image, labels = {} }: Pattern, subject: Subject): boolean {
  const { metadata } = subject.pod;
  return (
    isLike(namespace, metadata.namespace) &&
    isLike(pod, metadata.name) &&
    isLike(container, subject.container.name) &&
    isLike(image, subject.container.image) &&
    Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value)
  );
}

/** Whether a text is as a pattern says; `*` stands for any characters. */
export function isLike(pattern: string | undefined, text: string | undefined): boolean {
  if (pattern === undefined) return true;
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(text ?? "");
}

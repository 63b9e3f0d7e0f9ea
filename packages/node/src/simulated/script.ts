/** The behaviour of simulated containers: a list of rules, of which the first match applies. */
import type { Container } from "@capstan/kinds/v1";
import type { BoundPod, ContainerKind } from "../pod/containers.ts";

/** Which containers a rule matches; an absent field matches all. `*` matches any text. */
export interface Pattern {
  readonly namespace?: string;
  readonly pod?: string;
  readonly container?: string;
  readonly image?: string;
  readonly labels?: { readonly [key: string]: string };
}

/** How a container exits by itself. */
export interface ScriptedEnd {
  readonly type: "exit" | "oom";
  readonly code?: number;
  readonly message?: string;
  /** How long after its start, in milliseconds. */
  readonly after: number;
  /** Only so many runs exit like this; later ones keep running. */
  readonly times?: number;
}

/** The behaviour of a container. Times are in milliseconds. */
export interface Behaviour {
  /** How long the pull takes. */
  readonly pullDelay?: number;
  /** The pull fails with this error. */
  readonly pullError?: string;
  /** How long the start of the container takes. */
  readonly startDelay?: number;
  /** The start fails with this error. */
  readonly startError?: string;
  /** How long after its start its probes begin to pass; `never` for a container that hangs. */
  readonly readyDelay?: number | "never";
  /** How long it takes to stop on request; `never` for one that has to be killed. */
  readonly stopDelay?: number | "never";
  readonly end?: ScriptedEnd;
}

/** A rule of a script. */
export interface Rule extends Behaviour {
  readonly match?: Pattern;
}

/** A container of a pod, as input of rules. */
export interface Subject {
  readonly pod: BoundPod;
  readonly container: Container;
  readonly kind: ContainerKind;
}

/** The behaviour of a container: the first matching rule, over the default of its kind. */
export function behaviourOf(script: readonly Rule[], subject: Subject): Behaviour {
  const rule = script.find(({ match }) => match === undefined || fits(match, subject));
  return { ...natural(subject), ...rule };
}

/** Init containers exit at once, containers of Job pods after a second; all others run forever. */
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

/** Whether a text matches a pattern; `*` matches any characters. */
export function isLike(pattern: string | undefined, text: string | undefined): boolean {
  if (pattern === undefined) return true;
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(text ?? "");
}

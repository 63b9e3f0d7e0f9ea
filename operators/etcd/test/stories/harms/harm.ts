/** Something that is done to a cluster of three, and how one sees that it has hit. */
import type { Dice } from "../dice.ts";
import type { Scene } from "../scene.ts";

/** A kind of harm. */
export interface Harm {
  readonly name: string;
  /**
   * `survives`: the members keep or get back a quorum with all that was acknowledged, so the history of the clients must be linearizable.
   * `recovers`: most copies are destroyed; what only those had is lost, and nothing else.
   */
  readonly fate: "survives" | "recovers";
  /** Healed only when a member was away for long: the first with a new form is given twelve times longer, so it is not met at work. */
  readonly only?: "at rest";
  strike(scene: Scene, dice: Dice): Promise<Blow>;
}

/** A harm that was done. */
export interface Blow {
  /** To whom, and how. */
  readonly detail: string;
  /** Whether it has shown, so that recovery is not mistaken for calm. */
  hasShown(): Promise<boolean>;
  /** What others than the operator have to mend before anything can recover: a line, the API server. */
  mend?(): Promise<void>;
  /** What comes back after the cluster has recovered without it: a node, a member that was replaced meanwhile. */
  returns?(): Promise<void>;
}

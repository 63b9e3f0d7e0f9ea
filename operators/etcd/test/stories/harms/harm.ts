/** A fault in a cluster of three, and the sign that it has taken effect. */
import type { Dice } from "../dice.ts";
import type { Scene } from "../scene.ts";

/** A kind of fault. */
export interface Harm {
  readonly name: string;
  /**
   * `survives`: the members keep or regain a quorum with all acknowledged writes, so the history of the clients must be linearizable.
   * `recovers`: most copies are destroyed; what only those had is lost, and nothing else.
   */
  readonly fate: "survives" | "recovers";
  /**
   * Healed only after a member was away for long: the first member with a new template has a timeout twelve times as long, so the fault
   * is not tried during an update.
   */
  readonly only?: "at rest";
  strike(scene: Scene, dice: Dice): Promise<Blow>;
}

/** A fault that has happened. */
export interface Blow {
  /** The affected member or node, and the manner. */
  readonly detail: string;
  /** Whether the fault has taken effect, so that a calm cluster is not mistaken for a recovered one. */
  hasShown(): Promise<boolean>;
  /** Repairs what the operator cannot: a network, the API server. */
  mend?(): Promise<void>;
  /** Returns what was lost after the cluster has recovered without it: a node, a member that was replaced meanwhile. */
  returns?(): Promise<void>;
}

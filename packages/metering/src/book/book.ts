/** The book: what is metered and what it costs, as a value. */
import type { Rational } from "../number/rational.ts";
import type { Unit } from "./unit.ts";

/** How the records of an event meter become one quantity. */
export type Aggregate = "sum" | "count" | "max" | "last" | "unique";

/** Objects of the Kubernetes API as a source. */
export interface ObjectSource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: string;
  readonly when?: string;
  readonly dimensions: { readonly [name: string]: string };
}

/** Prometheus as a source. */
export interface PrometheusSource {
  readonly query: string;
  /** Milliseconds. */
  readonly step: number;
  readonly dimensions: { readonly [name: string]: string };
  readonly replicaLabels: readonly string[];
  readonly startsAtZero: boolean;
  /** The server, where the command names none. */
  readonly url?: string;
}

/** One meter. */
export interface Meter {
  readonly name: string;
  readonly type: "level" | "counter" | "event";
  readonly unit: string;
  readonly aggregate: Aggregate;
  /** The dimension that `unique` counts. */
  readonly unique?: string;
  readonly objects?: ObjectSource;
  readonly prometheus?: PrometheusSource;
  /** The level is computed by rules of Kubernetes, not by an expression. */
  readonly builtIn?: true;
  readonly dimensions: readonly string[];
  /** Dimensions that are stored as a keyed hash. */
  readonly hash: readonly string[];
}

/** A step of a tiered price. */
export interface Step {
  readonly upTo?: Rational;
  readonly upToText?: string;
  readonly amount: Rational;
  readonly amountText: string;
  readonly flat?: Rational;
  readonly flatText?: string;
}

/** One price. */
export interface Price {
  /** Its place in the book. */
  readonly order: number;
  readonly meter: string;
  readonly unit: Unit;
  readonly per: string;
  readonly from?: number;
  readonly fromText?: string;
  readonly when: { readonly [dimension: string]: string };
  readonly tiers: "simple" | "graduated" | "volume" | "package";
  /** A simple price has one step. */
  readonly steps: readonly Step[];
}

/** The least that a tenant pays in a rating period, in millionths. */
export interface Minimum {
  readonly tenant: string;
  readonly amount: bigint;
}

/** An amount that pays invoices, in millionths. */
export interface Credit {
  readonly id: string;
  readonly tenant: string;
  readonly amount: bigint;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** How a shared pool is divided. */
export type SharedBy =
  | { readonly kind: "cost" | "even" }
  | { readonly kind: "quantity"; readonly meter: string }
  | { readonly kind: "weights"; readonly weights: ReadonlyMap<string, bigint> };

/** A pool whose cost the others carry. */
export interface SharedRule {
  readonly name: string;
  readonly match: { readonly [dimension: string]: string };
  readonly by: SharedBy;
}

/** An exchange rate from a day on. */
export interface Exchange {
  readonly from: string;
  readonly to: string;
  readonly rate: Rational;
  readonly since: number;
}

/** The price of a node. */
export interface NodePrice {
  readonly rate: Rational;
  readonly unit: Unit;
  readonly match: { readonly [dimension: string]: string };
  readonly from?: number;
}

/** How nodes' cost is allocated to pods. */
export interface Nodes {
  /** Resource to meter. */
  readonly capacity: { readonly [resource: string]: string };
  readonly request: { readonly [resource: string]: string };
  readonly usage: { readonly [resource: string]: string };
  readonly weights: { readonly [resource: string]: Rational };
  readonly price: readonly NodePrice[];
  readonly bill?: "focus";
}

/** The lengths of rating periods. */
export type RatingPeriod = "month" | "week" | "day";

/** The whole book. */
export interface Book {
  readonly currency: string;
  readonly currencyDigits: number;
  readonly timeZone: string;
  readonly ratingPeriod: RatingPeriod;
  readonly importFrom?: number;
  readonly tenantLabel: string;
  readonly tenantZones: ReadonlyMap<string, string>;
  readonly meters: ReadonlyMap<string, Meter>;
  readonly prices: readonly Price[];
  readonly minimums: readonly Minimum[];
  readonly credits: readonly Credit[];
  readonly shared: readonly SharedRule[];
  readonly exchange: readonly Exchange[];
  readonly nodes?: Nodes;
  readonly retention: { readonly usage?: number; readonly journal?: number };
  readonly namespaceTag: string;
}

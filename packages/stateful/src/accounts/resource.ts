/** The types of the fields for accounts, in spec and status. */
import type { Grant } from "./accounts.ts";

/** A database of the spec; all other fields are options of the adapter. */
export type DatabaseSpec = { readonly name: string; readonly onDelete: "Retain" | "Delete" } & {
  readonly [option: string]: string;
};

/** A user of the spec. */
export interface UserSpec {
  readonly name: string;
  readonly password?: { readonly name: string; readonly key: string };
  readonly rotation?: string;
  readonly grants: readonly Grant[];
  readonly connections?: number;
  readonly requireTls: boolean;
  readonly onDelete: "Retain" | "Delete";
}

/** The fields of a spec. */
export interface AccountsSpec {
  readonly databases: readonly DatabaseSpec[];
  readonly users: readonly UserSpec[];
  readonly accounts: { readonly rotation?: string; readonly every?: string; readonly overlap: string };
}

/** A user or a database that the server got. */
export interface KeptAccount {
  readonly name: string;
  /** What all members have; undefined: nothing yet. */
  readonly state?: string;
  /** What the server refused; the reason is `problem`. */
  readonly refused?: string;
  readonly onDelete: "Retain" | "Delete";
  readonly problem?: string;
}

/** The record in the status. */
export interface AccountRecord {
  readonly system?: string;
  readonly problem?: string;
  readonly users?: readonly KeptAccount[];
  readonly databases?: readonly KeptAccount[];
}

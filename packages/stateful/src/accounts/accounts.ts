/** Accounts as an adapter keeps them: users with passwords and grants, databases, and the accounts of the operator and of replicas. */

/**
 * Rights of a user.
 *
 * @example
 * const readsShop: Grant = { privileges: ["SELECT"], database: "shop", withGrantOption: false };
 */
export interface Grant {
  /** Names of privileges as the application knows them, in capital letters. */
  readonly privileges: readonly string[];
  /** The name of a database, or `*` for all. */
  readonly database: string;
  /** The name of a table; undefined: all tables. */
  readonly table?: string | undefined;
  readonly withGrantOption: boolean;
}

/**
 * A user as the application should have it.
 *
 * @example
 * const newest = ({ passwords }: UserAccount) => passwords.at(-1);
 */
export interface UserAccount {
  readonly name: string;
  /** All of these are accepted, the newest last. An application with one password for each account uses the last. */
  readonly passwords: readonly string[];
  readonly grants: readonly Grant[];
  /** Connections at the same time; undefined: no limit. */
  readonly connections?: number | undefined;
  readonly requireTls: boolean;
}

/**
 * A database as the application should have it.
 *
 * @example
 * const shop: DatabaseAccount = { name: "shop", options: {} };
 */
export interface DatabaseAccount {
  readonly name: string;
  /** Options that the adapter defines. */
  readonly options: { readonly [name: string]: string };
}

/**
 * How an application keeps accounts. All functions are called on the primary, and can be repeated: they compare first, and change only
 * what differs. They throw with a sentence for people if the application refuses something.
 *
 * @example
 * const accounts: Pick<Accounts<AsyncDisposable>, "reserved"> = { reserved: ["root"] };
 */
export interface Accounts<C> {
  /** Names that users of the spec cannot have. */
  readonly reserved: readonly string[];
  /** Names that databases of the spec cannot have. */
  readonly reservedDatabases: readonly string[];
  /** Options of databases, with what each means. */
  readonly databaseOptions: { readonly [name: string]: string };
  readonly keepUser: (primary: C, user: UserAccount) => Promise<void>;
  readonly dropUser: (primary: C, name: string) => Promise<void>;
  readonly keepDatabase: (primary: C, database: DatabaseAccount) => Promise<void>;
  readonly dropDatabase: (primary: C, name: string) => Promise<void>;
  /** The passwords that the account of the operator, or that of replicas, accepts; the newest last. */
  readonly setPasswords: (
    primary: C,
    account: "operator" | "replication",
    passwords: readonly string[],
  ) => Promise<void>;
}

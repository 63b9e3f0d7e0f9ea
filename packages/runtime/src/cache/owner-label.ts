/** The label of children that cannot have an owner reference; every store has an index of it. */

/** Holds the owner's uid on children that cannot have an owner reference. */
export const OWNER_LABEL = "capstan.dev/owner-uid";

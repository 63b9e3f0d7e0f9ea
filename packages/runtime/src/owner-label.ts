/** The label by which children are found that cannot carry an owner reference; every store has an index of it. */

/** Carries the owner's uid on children that cannot carry an owner reference. */
export const OWNER_LABEL = "capstan.dev/owner-uid";

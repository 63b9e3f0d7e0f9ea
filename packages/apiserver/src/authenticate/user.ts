/** The user of a request. */

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** The user of a request without credentials. */
export const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The group of all authenticated users. */
export const authenticatedGroup = "system:authenticated";

/** Adds the group of all authenticated users. */
export function withEverybody(user: UserInfo): UserInfo {
  return { ...user, groups: [...user.groups.filter((group) => group !== authenticatedGroup), authenticatedGroup] };
}

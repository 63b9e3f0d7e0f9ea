/** Who a request comes from. */

/** A user as the server knows it. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** Who a request without credentials comes from. */
export const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The group of everybody who is somebody. */
export const authenticatedGroup = "system:authenticated";

/** Whoever has a token is somebody. */
export function withEverybody(user: UserInfo): UserInfo {
  return { ...user, groups: [...user.groups.filter((group) => group !== authenticatedGroup), authenticatedGroup] };
}

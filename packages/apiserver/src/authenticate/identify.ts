/** Who a call comes from, after impersonation. */
import { apiErrors } from "@capstan/model";
import { toForbidden } from "../authorize/forbidden.ts";
import type { Call } from "../call.ts";
import type { ServerParts } from "../parts.ts";
import { impersonationOf } from "./impersonation.ts";
import { anonymous, type UserInfo } from "./user.ts";

/** The user of a call; 401 for bad credentials, 403 for an impersonation that is not allowed. */
export async function identify(parts: ServerParts, call: Call): Promise<UserInfo> {
  const user = call.user ?? (await authenticate(parts, call));
  const impersonation = impersonationOf(call, user);
  switch (impersonation.type) {
    case "none":
      return user;
    case "malformed":
      throw apiErrors.internalError(impersonation.problem);
    case "as": {
      for (const need of impersonation.needs) {
        const decision = await parts.authorizer.authorize(need);
        if (decision.verdict !== "Allow") throw toForbidden(need, decision.reason);
      }
      return impersonation.user;
    }
  }
}

async function authenticate(parts: ServerParts, call: Call): Promise<UserInfo> {
  const result = await parts.authenticator.authenticate(call);
  switch (result.type) {
    case "user":
      return result.user;
    case "rejected":
      throw apiErrors.unauthorized("Unauthorized");
    case "none":
      return anonymous;
  }
}

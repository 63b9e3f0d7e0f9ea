/** Accounts on a real server of the oldest known release. */
import { testAccounts } from "./accounts.ts";

testAccounts("mariadb-10.11");

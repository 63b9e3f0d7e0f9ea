/** Accounts on a real server of the newest known release. */
import { testAccounts } from "./accounts.ts";

testAccounts("mariadb-11.8");

import { tellFaults } from "./fault-story.ts";

tellFaults("embedded");

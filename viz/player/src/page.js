/*
 * What a page and a notebook's output run: the players that wait there start.
 */

import { upgrade } from "./start.js";

upgrade();

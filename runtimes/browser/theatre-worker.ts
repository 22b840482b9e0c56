/** The theatre in a worker of its own: production nodes over a virtual clock. */
import { expose } from "comlink";
import { createTheatreApi } from "../shared/theatre/engine.ts";

expose(createTheatreApi());

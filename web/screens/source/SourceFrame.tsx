import { Outlet } from '@tanstack/react-router';

/** The frame of one source's screens. */
export const SourceFrame = () => <Outlet />;

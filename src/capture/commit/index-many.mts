/** The rows and lines of many sessions in one go, so that an import of thousands does not write the index thousands of times. */
import { placeParts, sessionPaths } from '../../store/layout.mts';
import { indexRow, rebuildIndex, updateIndex } from '../../store/index-file.mts';
import { readManifest } from '../../store/manifest.mts';
import { objectiveOf } from '../../store/objective.mts';
import { updateProjectPage, type ProjectLine } from '../../store/project-page.mts';
import { placeDir } from './commit.mts';

/** `places` are `project/folder`. `anew`: from all manifests, which heals what else may be wrong in the index. */
export function indexSessions(root: string, places: readonly string[], anew: boolean): void {
  const lines = new Map<string, ProjectLine[]>();
  const put = [...new Set(places)].flatMap((place) => {
    const { project, folder } = placeParts(place);
    const paths = sessionPaths(placeDir(root, place));
    const read = readManifest(paths.manifest);
    if (read.state !== 'read') return [];
    const { session, turn_count: turns, revisions } = read.manifest;
    const objective = objectiveOf(paths.summary);
    lines.set(project, [...(lines.get(project) ?? []), { session, turns, revisions, objective }]);
    return [{ ...indexRow(folder, read.manifest, objective), project }];
  });
  if (put.length === 0) return;
  const pages = (): void => lines.forEach((of, project) => updateProjectPage(root, project, { put: of }));
  if (anew) rebuildIndex(root, pages);
  else updateIndex(root, { put, pages });
}

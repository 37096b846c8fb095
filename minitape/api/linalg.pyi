"""The public names of `tf.linalg`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.ops.linalg.bands import banded_triangular_solve as banded_triangular_solve
from minitape.ops.linalg.bands import eigh_tridiagonal as eigh_tridiagonal
from minitape.ops.linalg.bands import tridiagonal_matmul as tridiagonal_matmul
from minitape.ops.linalg.bands import tridiagonal_solve as tridiagonal_solve
from minitape.ops.linalg.decompositions import eig as eig
from minitape.ops.linalg.decompositions import eigh as eigh
from minitape.ops.linalg.decompositions import eigvals as eigvals
from minitape.ops.linalg.decompositions import eigvalsh as eigvalsh
from minitape.ops.linalg.decompositions import lu as lu
from minitape.ops.linalg.decompositions import qr as qr
from minitape.ops.linalg.decompositions import svd as svd
from minitape.ops.linalg.diagonal_functions import band_part as band_part
from minitape.ops.linalg.diagonal_functions import diag as diag
from minitape.ops.linalg.diagonal_functions import diag_part as diag_part
from minitape.ops.linalg.diagonal_functions import eye as eye
from minitape.ops.linalg.diagonal_functions import set_diag as set_diag
from minitape.ops.linalg.diagonal_functions import tensor_diag as tensor_diag
from minitape.ops.linalg.diagonal_functions import tensor_diag_part as tensor_diag_part
from minitape.ops.linalg.einsum import einsum_function as _einsum
einsum = _einsum
from minitape.ops.linalg.einsum import tensordot as tensordot
from minitape.ops.linalg.functions import cholesky as cholesky
from minitape.ops.linalg.functions import cholesky_solve as cholesky_solve
from minitape.ops.linalg.functions import det as det
from minitape.ops.linalg.functions import expm as expm
from minitape.ops.linalg.functions import inv as inv
from minitape.ops.linalg.functions import logdet as logdet
from minitape.ops.linalg.functions import slogdet as slogdet
from minitape.ops.linalg.functions import solve as solve
from minitape.ops.linalg.functions import sqrtm as sqrtm
from minitape.ops.linalg.functions import triangular_solve as triangular_solve
from minitape.ops.linalg.least_squares import lstsq as lstsq
from minitape.ops.linalg.least_squares import matrix_rank as matrix_rank
from minitape.ops.linalg.least_squares import pinv as pinv
from minitape.ops.linalg.logarithm import logm as logm
from minitape.ops.linalg.lu import lu_matrix_inverse as lu_matrix_inverse
from minitape.ops.linalg.lu import lu_reconstruct as lu_reconstruct
from minitape.ops.linalg.lu import lu_solve as lu_solve
from minitape.ops.linalg.matrix import matmul_function as _matmul
matmul = _matmul
from minitape.ops.linalg.matvec import matvec_function as _matvec
matvec = _matvec
from minitape.ops.linalg.norms import l2_normalize as l2_normalize
from minitape.ops.linalg.norms import norm as norm
from minitape.ops.linalg.norms import normalize as normalize
from minitape.ops.linalg.shapes import adjoint as adjoint
from minitape.ops.linalg.shapes import cross as cross
from minitape.ops.linalg.shapes import matrix_transpose as matrix_transpose
from minitape.ops.linalg.shapes import trace as trace
from minitape.ops.neural.clipping import global_norm as global_norm

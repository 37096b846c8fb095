"""`tf.Module`: which variables it finds, and in which order."""

import pytest

import minitape as tf


class Scale(tf.Module):
    def __init__(self, k, name=None):
        super().__init__(name=name)
        self.k = tf.Variable(k, name="k")


def test_variables_come_in_the_order_of_attribute_names():
    module = tf.Module()
    module.b, module.a = tf.Variable(1.0, name="b"), tf.Variable(2.0, name="a")
    assert [v.name for v in module.variables] == ["a:0", "b:0"]


def test_own_variables_come_before_those_of_submodules():
    module = tf.Module()
    module.a, module.z = Scale(1.0), tf.Variable(2.0)
    assert [float(v) for v in module.variables] == [2.0, 1.0]


def test_variables_are_found_in_lists_tuples_and_dicts():
    module = tf.Module()
    module.parts = [tf.Variable(1.0), (tf.Variable(2.0), {"y": tf.Variable(3.0)})]
    assert [float(v) for v in module.variables] == [1.0, 2.0, 3.0]


def test_a_shared_variable_is_listed_once():
    module, v = tf.Module(), tf.Variable(1.0)
    module.a, module.b, module.c = v, [v], Scale(2.0)
    module.d = module.c
    assert len(module.variables) == 2
    assert module.submodules == (module.c,)


def test_a_module_that_holds_itself_ends():
    module = Scale(1.0)
    module.me = module
    assert len(module.variables) == 1
    assert module.submodules == ()


def test_submodules_are_found_at_any_depth():
    inner, outer = Scale(1.0), tf.Module()
    inner.deeper = [Scale(2.0)]
    outer.inner = inner
    assert outer.submodules == (inner, inner.deeper[0])


def test_trainable_variables_are_those_that_tapes_watch():
    module = tf.Module()
    module.a, module.b = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
    assert [float(v) for v in module.trainable_variables] == [1.0]
    assert [float(v) for v in module.non_trainable_variables] == [2.0]


def test_a_variable_added_later_is_found():
    module = tf.Module()
    assert module.variables == ()
    module.late = tf.Variable(1.0)
    assert len(module.variables) == 1


def test_the_name_is_the_class_in_snake_case_unless_given():
    class MyNet2D(tf.Module):
        pass

    assert MyNet2D().name == "my_net2d"
    assert Scale(1.0, name="mine").name == "mine"


def test_a_name_that_is_no_identifier_raises():
    with pytest.raises(ValueError, match="not a valid module name"):
        tf.Module(name="a b")


def test_the_name_scope_is_a_context():
    with Scale(1.0, name="s").name_scope as scope:
        assert scope == "s/"


def test_an_attribute_without_an_order_is_no_obstacle():
    module = tf.Module()
    module.table = {1: tf.Variable(1.0), "a": tf.Variable(2.0)}
    module.v = tf.Variable(3.0)
    assert 3.0 in [float(v) for v in module.variables]


def test_variables_take_the_name_scopes_around_them_into_their_names():
    with tf.name_scope("net") as outer, tf.name_scope("layer") as inner:
        assert (outer, inner) == ("net/", "net/layer/")
        assert tf.Variable(1.0, name="w").name == "net/layer/w:0"
        with tf.name_scope("other/"):  # with a slash at its end a whole path
            assert tf.Variable(1.0).name == "other/Variable:0"
        with tf.name_scope(""):
            assert tf.Variable(1.0).name == "Variable:0"
    assert tf.Variable(1.0).name == "Variable:0"


def test_a_name_scope_is_left_after_an_error_and_can_be_entered_again():
    scope = tf.name_scope("a")
    with pytest.raises(RuntimeError), scope, scope:
        raise RuntimeError
    with scope:
        assert tf.Variable(1.0, name="v").name == "a/v:0"


def test_a_name_scope_wants_a_string():
    for wrong in (3, None, ["a"]):
        with pytest.raises(ValueError, match="must be a string; got"):
            tf.name_scope(wrong)
    with tf.compat.v1.name_scope(None, "a") as scope:
        assert scope == "a/"


def test_a_module_has_the_scope_in_which_it_was_made():
    class Net(tf.Module):
        @tf.Module.with_name_scope
        def build(self):
            return tf.Variable(1.0, name="w")

    with tf.name_scope("outer"):
        net = Net()
    assert net.build().name == "outer/net/w:0"
